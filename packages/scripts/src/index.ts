/** For the command line, which reads, approves, installs and runs scripts. */
export { askWithoutSandbox } from "./approve/ask-without-sandbox.ts";
export { type ScriptApprovalBook, openScriptApprovals } from "./approve/script-approvals.ts";
export { createScriptAuthoring } from "./author/script-authoring.ts";
export { readScriptName } from "./author/script-name.ts";
export { templates } from "./author/script-templates.ts";
export { type ScriptToolsOptions, scriptTools } from "./author/script-tools.ts";
export type { CodeToolsOptions } from "./code/code-options.ts";
export { codeTools } from "./code/code-tools.ts";
export { hiddenInFiles } from "./definition/hidden-characters.ts";
export type {
  DeclaredPermissions,
  Script,
  ScriptFunction,
  ScriptProblem,
} from "./definition/script-function.ts";
export { type InstallOutcome, installEnvironment } from "./environments/install-environment.ts";
export { pipProblem } from "./environments/install-with-pip.ts";
export { missingPackages } from "./environments/missing-packages.ts";
export { pythonEnvironments } from "./environments/python-environments.ts";
export { followLibrary } from "./library/tool-library.ts";
export { scriptGroup } from "./library/script-group.ts";
export { type ToolLibrary, openToolLibrary } from "./library/tool-library.ts";
export { ScriptVersions } from "./read/script-versions.ts";
export { languageParsers } from "./read/language-parsers.ts";
export { findPython } from "./read/python/find-python.ts";
export { readScripts } from "./read/read-scripts.ts";
export { type FileProblem, type Scan, type ScannedFile, scanFolder } from "./read/scan-folder.ts";
export { readScriptFiles } from "./read/script-files.ts";
export { findPowerShell } from "./run/powershell/find-powershell.ts";
export { createScriptRunner } from "./run/script-runner.ts";
export type { ScriptServices } from "./author/script-services.ts";
export { listValues } from "./values/list-values.ts";
export { openScriptValues, type ScriptValues, type StoredValue } from "./values/script-values.ts";
export { displayPath } from "./author/script-view.ts";
