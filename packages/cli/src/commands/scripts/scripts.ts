import type { Command, CommandGroup } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

const listCommand: Command = {
  name: "list",
  summary: "List script files, their tools, and whether a person approved them",
  description: `Lists each file of the configuration's folders with its group and tools. A script that nobody approved
asks before every call and runs without network, folders and secrets; once approved, what it
declares holds for exactly this content. A module (.ts, .js) is not loaded before it is approved.`,
  options: {
    json: { type: "boolean", description: "As JSON, with definitions" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts list", says: "what lies in the folders" },
    { line: "capstan scripts list --json", says: "the same for a program" },
  ],
  load: async () => (await import("./list.ts")).listScripts,
};

const checkCommand: Command = {
  name: "check",
  summary: "Say what is wrong with scripts, and where",
  description: `Reads script files anew, without running them, and prints what is wrong as file:line:column, which
editors jump to: syntax, types that are not known, parameters without documentation, permissions
that make no sense. Ends with 1 where there is an error; warnings alone end with 0.
Without paths: the folders of the configuration.`,
  operands: "[PATH…]",
  options: {
    json: { type: "boolean", description: "As JSON, with definitions and what files declare" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts check", says: "all scripts of the configuration" },
    { line: "capstan scripts check weather.py", says: "one file, wherever it lies" },
  ],
  load: async () => (await import("./check.ts")).checkScripts,
};

const newCommand: Command = {
  name: "new",
  summary: "Begin a script of tools",
  description: `Writes a small working file into the first of the configuration's folders: a function with types, its
documentation, a default, and a format. Change it, and what changed is live at once in a server that
runs. The ending says which language: .py (the default), .ps1, or .ts.`,
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
  description: `Makes one call through the same gate and sandbox as a model's: arguments are checked, the deadline
holds, the administrator's rules too. Who asks is you, so you are not asked. What the script prints
goes to standard error while it runs, what the model would read to standard output. Ends with 1
where the call fails.`,
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
  summary: "Let a file have what it declares, as it is now",
  description: `Shows what a file declares of its permissions and asks. Your word holds for exactly this content: after
any change of it, or of the private files beside it, the script asks before every call again.
A module (.ts, .js) is loaded into the server once it is approved.`,
  operands: "PATH",
  options: {
    yes: { type: "boolean", description: "Approve without being asked" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [{ line: "capstan scripts approve weather.py", says: "look, then answer" }],
  load: async () => (await import("./approve.ts")).approveScript,
};

const revokeCommand: Command = {
  name: "revoke",
  summary: "Take an approval back",
  description: `The script asks before every call again; a module is taken out of the server at once.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts revoke weather.py", says: "it asks again" }],
  load: async () => (await import("./approve.ts")).revokeScript,
};

const installCommand: Command = {
  name: "install",
  summary: "Install the packages that a plugin folder requires",
  description: `Installs what the requirements.txt of a plugin folder names into an environment of its own in the data
directory, in the sandbox, and shows what pip says. Nothing is ever installed without this command.
The environment is that of this requirements.txt and this Python: a change of either needs it again.
Where requirements.txt names more than packages of the index, such as ./wheels or --find-links, it is this
folder's alone, and a change of any file in it but its main file needs it again.
pip's own settings hold: PIP_INDEX_URL, PIP_FIND_LINKS and the like.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts install maps", says: "what maps/requirements.txt names" }],
  load: async () => (await import("./install.ts")).installScript,
};

export const scriptsCommand: CommandGroup = {
  name: "scripts",
  summary: "Tools written as Python, PowerShell or TypeScript files",
  description: `A .py or .ps1 file in a folder of tools gives the model a group of tools: each public function is one,
with its documentation and types. What a file says is read without running it, and what changes
is live at once. The folder is capstan-tools, here, or what the configuration says:
  {"scripts": {"folders": ["tools"]}}`,
  examples: [
    { line: "capstan scripts new weather", says: "begin a Python file" },
    { line: "capstan scripts check", says: "what is wrong, as file:line" },
    { line: "capstan scripts list", says: "the tools there are" },
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
