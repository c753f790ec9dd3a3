/** Results and errors of `capstan scripts`. */
export const scriptTexts = {
  approve: {
    confirm: "Approve it?",
    noTerminal: "There is no terminal; --yes approves without asking.",
    notApproved: "Nothing was approved.",
    approved: (hash: string) => `Approved this content: ${hash}`,
    revoked: "Revoked. Each call needs approval again.",
    wasNotApproved: (path: string) => `${path} was not approved.`,
    files: (path: string, count: string, names: string) => `${path} (${count}: ${names})`,
    module: "A module is loaded into the server, and can do everything that the server can.",
    nothingDeclared:
      "It declares no permissions: its calls need approval once per set of arguments, and have no network, folders or secrets.",
    declares: "It declares:",
  },
  check: {
    noProblems: "no problems",
    moduleUnchecked:
      "A module is not checked, because its exports are known only when it is loaded.",
  },
  environment: {
    usage:
      "Give nothing, `set NAME` or `remove NAME`. The value is read from the terminal or from standard input, never from the command line, because other programs can read that.",
    ask: (name: string) => `Value of ${name} (not shown): `,
    set: (name: string) => `Set ${name}.`,
    removed: (name: string) => `Removed ${name}.`,
    unknown: (name: string) => `No value ${name} is stored.`,
    none: "No values are set, and no script declares any.",
    sources: {
      stored: "set",
      unreadable: "unreadable: the secret key changed, set it again",
      configuration: "from the configuration",
      server: "from the server's variables",
      none: "not set",
    },
    usedBy: (scripts: string) => (scripts === "" ? "" : `, for ${scripts}`),
  },
  find: {
    noPath: "There is no such file or folder.",
    noToolFile:
      "This file defines no tools: expected a .py, .ps1, .ts or .js file whose name does not begin with _.",
    noTools: "There are no tools in this folder.",
    several: (path: string) => `There are several files: name one, such as ${path}.`,
  },
  install: {
    noSandbox: (reason: string) =>
      `The packages' code runs without a sandbox during the installation: ${reason}`,
    stopped: "Stopped: nothing was installed.",
    noneNeeded: "It requires no packages. A plugin folder lists them in its requirements.txt.",
    installed: (folder: string) => `Installed in ${folder}`,
    installedBefore: (folder: string) => `Already installed in ${folder}`,
  },
  list: {
    none: (folders: string) =>
      `There are no tools in ${folders === "" ? "any folder" : folders} yet. \`capstan scripts new NAME\` creates a file.`,
    states: {
      stale: "broken: the last valid version is used",
      broken: "broken",
      unapproved: "not loaded, because it is not approved",
    },
    needsApproval: "not approved: each call needs approval",
  },
  create: {
    noFolder: 'There is no folder for tools: name one in scripts.folders, such as ["tools"].',
    exists: (path: string) => `${path} exists already.`,
    notWritable: (path: string, reason: string) => `${path} cannot be written (${reason}).`,
    next: (file: string) => `Try it:  capstan scripts check ${file}, then capstan scripts list`,
  },
  run: {
    usage: `Give a tool and its arguments as one JSON object: capstan scripts run weather.greet '{"name": "Bo"}'.`,
    waits: "The call needs your approval.",
  },
} as const;
