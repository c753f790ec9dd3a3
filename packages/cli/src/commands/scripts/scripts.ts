import type { Command, CommandGroup } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

const listCommand: Command = {
  name: "list",
  summary: "List script files, their tools, and whether they are approved",
  description: `Lists each file of the configured folders with its group and tools. An unapproved script asks before
every call and runs without network, folders and secrets. Approval grants the permissions that the
file declares, for exactly this content. A module (.ts, .js) is loaded only after its approval.`,
  options: {
    json: { type: "boolean", description: "As JSON, with definitions" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts list", says: "the files and tools in the folders" },
    { line: "capstan scripts list --json", says: "the same for a program" },
  ],
  load: async () => (await import("./list.ts")).listScripts,
};

const checkCommand: Command = {
  name: "check",
  summary: "Check scripts and show each problem with its line",
  description: `Reads script files without running them and prints each problem as file:line:column, a form that
editors can open: syntax, unknown types, parameters without documentation, invalid permissions.
The exit code is 1 if there is an error; warnings alone give 0.
Without a path it checks the configured folders.`,
  operands: "[PATH…]",
  options: {
    json: { type: "boolean", description: "As JSON, with definitions and what files declare" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts check", says: "all scripts of the configuration" },
    { line: "capstan scripts check weather.py", says: "one file, in any folder" },
  ],
  load: async () => (await import("./check.ts")).checkScripts,
};

const newCommand: Command = {
  name: "new",
  summary: "Create a script with an example tool",
  description: `Writes a small working file into the first configured folder: a function with types, documentation, a
default and a format. A running server applies each change of the file at once.
The extension chooses the language: .py (the default), .ps1 or .ts.`,
  operands: "NAME",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [
    { line: "capstan scripts new weather", says: "weather.py" },
    { line: "capstan scripts new backup.ps1", says: "PowerShell" },
  ],
  load: async () => (await import("./new.ts")).createScript,
};

const runCommand: Command = {
  name: "run",
  summary: "Call a tool of a script, as a model would",
  description: `Makes one call through the same gate and sandbox as a model's call: the arguments are checked, and the
deadline and the administrator's rules apply. The call is yours, so it needs no approval.
The script's output goes to standard error while it runs, the result for the model to standard output.
The exit code is 1 if the call fails.`,
  operands: "GROUP.TOOL [ARGUMENTS]",
  options: {
    json: { type: "boolean", description: "The whole result as JSON, with its data" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: `capstan scripts run weather.greet '{"name": "Bo"}'`, says: "arguments are JSON" },
  ],
  load: async () => (await import("./run.ts")).runScript,
};

const approveCommand: Command = {
  name: "approve",
  summary: "Grant a file the permissions that it declares",
  description: `Shows the permissions that a file declares and asks. The approval covers exactly this content: after
any change of it, or of the private files next to it, the script asks before every call again.
A module (.ts, .js) is loaded into the server after its approval.`,
  operands: "PATH",
  options: {
    yes: { type: "boolean", description: "Approve without being asked" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts approve weather.py", says: "shows the permissions and asks" },
  ],
  load: async () => (await import("./approve.ts")).approveScript,
};

const revokeCommand: Command = {
  name: "revoke",
  summary: "Revoke an approval",
  description: `The script asks before every call again. The server unloads a module at once.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts revoke weather.py", says: "it asks again" }],
  load: async () => (await import("./approve.ts")).revokeScript,
};

const installCommand: Command = {
  name: "install",
  summary: "Install the packages that a plugin folder requires",
  description: `Installs the requirements.txt of a plugin folder into a separate environment in the data directory, in
the sandbox, and shows pip's output. No other command installs packages.
Run it again after a change of requirements.txt or of Python. If requirements.txt names more than
packages of the index, for example ./wheels or --find-links, the environment belongs to this folder
alone: run it again after a change of any file in the folder except its main file.
pip's own settings apply: PIP_INDEX_URL, PIP_FIND_LINKS and so on.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts install maps", says: "packages of maps/requirements.txt" }],
  load: async () => (await import("./install.ts")).installScript,
};

export const scriptsCommand: CommandGroup = {
  name: "scripts",
  summary: "Tools written as Python, PowerShell or TypeScript files",
  description: `A .py or .ps1 file in a tools folder is a group of tools: each public function is a tool, with its
documentation and types. The server reads a file without running it, and applies changes at once.
The folder is ./capstan-tools, or the one in the configuration:
  {"scripts": {"folders": ["tools"]}}`,
  examples: [
    { line: "capstan scripts new weather", says: "create a Python file" },
    { line: "capstan scripts check", says: "problems as file:line" },
    { line: "capstan scripts list", says: "all tools" },
    { line: `capstan scripts run weather.greet '{"name": "Bo"}'`, says: "try one" },
  ],
  subcommands: [
    listCommand,
    checkCommand,
    newCommand,
    runCommand,
    approveCommand,
    revokeCommand,
    installCommand,
  ],
};
