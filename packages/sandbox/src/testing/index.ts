export { confined, noSandbox } from "./run-program.ts";
export { testFolder } from "./test-folder.ts";
