export { confined, noSandbox } from "./run-program.ts";
export { testFolder } from "./test-folder.ts";
export { openForwardProxy } from "../network/forward-proxy.ts";
