export { basicTools, type BasicToolsOptions } from "./basic/basic-tools.ts";
export { type CodeToolsOptions } from "./code/code-options.ts";
export { codeTools } from "./code/code-tools.ts";
export { type FileToolsOptions } from "./files/file-roots.ts";
export { fileTools } from "./files/file-tools.ts";
export { checkSource } from "./scripts/authoring/check-source.ts";
export { DeletedFiles } from "./scripts/authoring/deleted-files.ts";
export { createSource, readSource, saveSource } from "./scripts/authoring/source-file.ts";
export { scriptTools, type ScriptToolsOptions } from "./scripts/authoring/script-tools.ts";
export { askWithoutSandbox } from "./scripts/approvals/ask-without-sandbox.ts";
export { findPython } from "./scripts/python/find-python.ts";
export { followLibrary } from "./scripts/follow-library.ts";
export { hiddenInFiles } from "./scripts/hidden-characters.ts";
export { type FileContents, KeptVersions } from "./scripts/kept-versions.ts";
export { languageParsers } from "./scripts/language-parsers.ts";
export type { ModuleApprovals } from "./scripts/plugin-modules.ts";
export { readScripts, type ScriptFile } from "./scripts/read-scripts.ts";
export { createScriptRunner, type ScriptRunner } from "./scripts/running/script-runner.ts";
export {
  openScriptApprovals,
  type ScriptApprovalBook,
} from "./scripts/approvals/script-approvals.ts";
export { readScriptFiles } from "./scripts/script-files.ts";
export { scriptGroup } from "./scripts/script-group.ts";
export { type FileProblem, type Scan, scanFolder, type ToolFile } from "./scripts/scan-folder.ts";
export { type LibraryFile, openToolLibrary, type ToolLibrary } from "./scripts/tool-library.ts";
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
export {
  installEnvironment,
  type InstallOutcome,
} from "./scripts/environments/install-environment.ts";
export { missingPackages } from "./scripts/environments/missing-packages.ts";
export { pythonEnvironments } from "./scripts/environments/python-environments.ts";
export { pythonPlace } from "./sandbox/python-place.ts";
export { findSandbox, type FoundSandbox } from "./sandbox/find-sandbox.ts";
export { unconfined } from "./sandbox/unconfined.ts";
export { installCommand } from "./sandbox/install-command.ts";
export { findPowerShell } from "./scripts/running/powershell/find-powershell.ts";
export { findProgram } from "./sandbox/launcher.ts";
export { type Sandbox, type SandboxLimits } from "./sandbox/sandbox.ts";
export { linearPatterns } from "./text/linear-patterns.ts";
export { variableTools } from "./vars/variable-tools.ts";
export { type ResolvedAddress, type ResolveHost } from "./web/checked-agent.ts";
export { webTools, type WebToolsOptions } from "./web/web-tools.ts";
