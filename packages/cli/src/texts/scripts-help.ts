/** Help of `capstan scripts` and its commands. Descriptions are wrapped by hand at 105 columns. */
export const scriptsHelp = {
  group: {
    summary: "Tools written as Python, PowerShell or TypeScript files",
    description: `A .py or .ps1 file in a tools folder is a group of tools: each public function is a tool, with its
documentation and types. The server reads a file without running it, and applies changes at once.
The folder is ./capstan-tools, or the one in the configuration:
  {"scripts": {"folders": ["tools"]}}`,
    examples: [
      { line: "capstan scripts new weather", comment: "create a Python file" },
      { line: "capstan scripts check", comment: "problems as file:line" },
      { line: "capstan scripts list", comment: "all tools" },
      { line: 'capstan scripts run weather.greet \'{"name": "Bo"}\'', comment: "call one" },
    ],
  },
  list: {
    summary: "List script files, their tools, and whether they are approved",
    description: `Lists each file of the configured folders with its group and tools. Each call of an unapproved script
needs approval, and runs without network, folders and secrets. The approval of a script grants the
permissions that it declares, for exactly this content. A module (.ts, .js) is loaded only after its
approval.`,
    options: { json: "As JSON, with definitions" },
    examples: [
      { line: "capstan scripts list", comment: "the files and tools in the folders" },
      { line: "capstan scripts list --json", comment: "the same as JSON" },
    ],
  },
  check: {
    summary: "Check scripts and show each problem with its line",
    description: `Reads script files without running them and prints each problem as file:line:column, a form that
editors can open: syntax, unknown types, parameters without documentation, invalid permissions.
The exit code is 1 if there is an error; warnings alone give 0.
Without a path it checks the configured folders.`,
    options: { json: "As JSON, with definitions and declarations" },
    examples: [
      { line: "capstan scripts check", comment: "all scripts of the configuration" },
      { line: "capstan scripts check weather.py", comment: "one file, in any folder" },
    ],
  },
  new: {
    summary: "Create a script with an example tool",
    description: `Writes a small working file into the first configured folder: a function with types, documentation, a
default and a format. A running server applies each change of the file at once.
The extension selects the language: .py (the default), .ps1 or .ts.`,
    examples: [
      { line: "capstan scripts new weather", comment: "weather.py" },
      { line: "capstan scripts new backup.ps1", comment: "PowerShell" },
    ],
  },
  run: {
    summary: "Call a tool of a script, as a model would",
    description: `Makes one call through the same gate and sandbox as a model's call: the arguments are checked, and the
deadline and the administrator's rules apply. You make the call yourself, so it needs no approval.
The script's output goes to standard error while it runs, the result for the model to standard output.
The exit code is 1 if the call fails.`,
    options: { json: "The whole result as JSON, with its data" },
    examples: [
      {
        line: 'capstan scripts run weather.greet \'{"name": "Bo"}\'',
        comment: "arguments are JSON",
      },
    ],
  },
  approve: {
    summary: "Grant a file the permissions that it declares",
    description: `Shows the permissions that a file declares, and asks whether to grant them. The approval covers exactly
this content: after any change of it, or of the private files next to it, each call needs approval again.
A module (.ts, .js) is loaded into the server after its approval.`,
    options: { yes: "Approve without asking" },
    examples: [
      { line: "capstan scripts approve weather.py", comment: "shows the permissions and asks" },
    ],
  },
  revoke: {
    summary: "Revoke an approval",
    description:
      "Each call of the script needs approval again. The server unloads a module at once.",
    examples: [
      { line: "capstan scripts revoke weather.py", comment: "its calls need approval again" },
    ],
  },
  environment: {
    summary: "List, set and remove the environment values of scripts",
    description: `Values such as keys, which approved scripts get as environment variables if they declare the names as
secrets. They are stored encrypted in the data directory, and no command prints them again. Without
operands, the command lists the names. \`set\` asks for the value without showing it, or reads it from standard
input, without the last line break. A running server uses a change with the next call.
The values take precedence over scripts.environment of the configuration and the server's variables.`,
    options: { json: "As JSON" },
    examples: [
      { line: "capstan scripts environment set WEATHER_KEY", comment: "asks for the value" },
      {
        line: "capstan scripts environment set WEATHER_KEY < key.txt",
        comment: "reads it from a file",
      },
      {
        line: "capstan scripts environment remove WEATHER_KEY",
        comment: "scripts no longer get it",
      },
    ],
  },
  install: {
    summary: "Install the packages that a plugin folder requires",
    description: `Installs the requirements.txt of a plugin folder into a separate environment in the data directory, in
the sandbox, and shows pip's output. No other command installs packages.
Run it again after a change of requirements.txt or of Python. If requirements.txt names more than
packages of the index, for example ./wheels or --find-links, the environment belongs to this folder
alone: run it again after a change of any file in the folder except its main file.
pip's own settings apply: PIP_INDEX_URL, PIP_FIND_LINKS and so on.`,
    examples: [
      { line: "capstan scripts install maps", comment: "packages of maps/requirements.txt" },
    ],
  },
} as const;
