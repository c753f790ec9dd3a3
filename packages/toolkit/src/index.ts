export { basicTools, type BasicToolsOptions } from "./basic/basic-tools.ts";
export { type CodeToolsOptions } from "./code/code-options.ts";
export { codeTools } from "./code/code-tools.ts";
export { type FileToolsOptions } from "./files/file-roots.ts";
export { fileTools } from "./files/file-tools.ts";
export type {
  DeclaredPermissions,
  RunScriptFunction,
  Script,
  ScriptApprovals,
  ScriptCall,
  ScriptFunction,
  ScriptLanguage,
  ScriptPermissions,
  ScriptProblem,
  ScriptReturn,
} from "./scripts/script-function.ts";
export { findSandbox, type FoundSandbox } from "./sandbox/find-sandbox.ts";
export { type Sandbox, type SandboxLimits } from "./sandbox/sandbox.ts";
export { linearPatterns } from "./text/linear-patterns.ts";
export { variableTools } from "./vars/variable-tools.ts";
export { type ResolvedAddress, type ResolveHost } from "./web/checked-agent.ts";
export { webTools, type WebToolsOptions } from "./web/web-tools.ts";
