/** The tool groups that ship with Capstan. */
export { basicTools, type BasicToolsOptions } from "./basic/basic-tools.ts";
export { type FileToolsOptions } from "./files/file-roots.ts";
export { fileTools } from "./files/file-tools.ts";
export { linearPatterns } from "./text/linear-patterns.ts";
export { variableTools } from "./vars/variable-tools.ts";
export { webTools, type WebToolsOptions } from "./web/web-tools.ts";
