/** Results and errors of the commands, except the chat and `capstan scripts`. */
export const commandTexts = {
  noTerminal: "There is no terminal.",
  config: {
    same: (file: string) => `${file} equals the accepted configuration.`,
    first: (file: string) =>
      `No configuration has been accepted yet: the next server that starts accepts ${file}.`,
    confirm: "Accept it?",
    noTerminal: "There is no terminal; --yes accepts without asking.",
    notAccepted: "Nothing was accepted.",
    accepted: "Accepted. It applies at the next start of the server.",
    changed: (file: string, effect: string) => `${file} changed, and ${effect}`,
    effects: {
      stricter: "allows nothing more than the accepted version.",
      unknown: "the accepted version cannot be read.",
      waits: "allows more than the accepted version:",
    },
    unknown: (problem: string, file: string) =>
      `${problem}\nWhether ${file} allows more than the accepted version is unknown.`,
    waits: (file: string, settings: string) =>
      `${file} allows more than the accepted version (${settings}). The last accepted configuration applies.`,
    howToAccept:
      "Show the changes with `capstan config diff`, and accept them with `capstan config accept` or `capstan serve --accept-config`.",
    notStored: (reason: string) =>
      `warning: the accepted configuration could not be stored, so later changes cannot be detected: ${reason}`,
  },
  db: {
    unknownAction:
      "db needs one of usage, prune, check, backup, vacuum. `capstan db --help` describes them.",
    noRules:
      'No retention is configured, so nothing is deleted. Set it here: --days 365, --megabytes 500; or in capstan.config.json, for pruning every hour: "retention": {"days": 365}.',
    invalidNumber: (name: string, text: string) =>
      `--${name}: expected a number above 0, got "${text}"`,
    vacuumHint:
      "The file keeps this space for later data; `capstan db vacuum` returns it to the disk.",
    kinds: {
      events: "events of runs",
      messages: "messages",
      calls: "calls, with their results",
      variables: "variables",
      files: "files",
      other: "titles, grants and rules",
    },
    noData: "No data is stored yet.",
    file: (size: string) => `The file takes ${size}, including indexes and free space.`,
    holds: {
      unfinished: "a run has not ended",
      question: "an approval or a review is pending",
      unknown_outcome: "the outcome of a call is unknown",
      unreadable: "some of its calls are corrupt and cannot be read",
    },
    nothingToPrune: "No data exceeds the retention.",
    freed: (size: string) => `, ${size} of it to meet the size limit`,
    held: (count: number, reason: string) => `  ${count} due but not deleted, because ${reason}`,
    pruned: (counts: string, isPlan: boolean) =>
      isPlan ? `would delete ${counts}` : `deleted ${counts}`,
    corrupt: (place: "data directory" | "database") =>
      `Stop the server, keep a copy of the ${place}, and restore your last backup.`,
    intact: (runs: number, size: string) => `No corruption found: ${runs} runs, ${size}.`,
    noBackupFile: "Name a file for the backup: capstan db backup --to FILE",
    backedUp: (file: string, size: string) =>
      `Backup written: ${file}, ${size}. It contains all conversations, so protect it like the data directory.`,
    vacuumed: (before: string, after: string) => `Reduced from ${before} to ${after}.`,
  },
  doctor: {
    approvals: "It is unknown who may approve calls.",
    config: "The last accepted configuration applies.",
    tools: "Models are not offered these tools.",
    toolsNeed: (tools: string, needs: string) => `${tools}: needs ${needs}`,
    configUnknown: "The server does not start.",
    configFix: "capstan config diff, then capstan config accept",
    configLooser: (file: string, settings: string) =>
      `${file} allows more than the accepted version: ${settings}`,
    configStates: {
      first: "will be accepted when a server starts",
      same: "equals the accepted version",
      stricter: "changed, and allows nothing more than the accepted version",
    },
    sandbox:
      "Each call of a script needs approval and is not confined; JavaScript is the only code tool.",
    memoryPerProcess: "memory is limited per process, not for a program as a whole",
    memoryFix:
      "To limit whole programs, run Capstan in a systemd user session, or as a service with Delegate=yes.",
    python: "Python scripts are neither read nor run, and there is no Python tool.",
    pip: "No packages are installed for scripts and code.",
    pipWorks: "can install packages for scripts and code",
    values: "Calls of scripts that declare this value fail.",
    providers: "Models of this provider cannot be used.",
    unreadableProvider: (id: string) =>
      `The key of the provider ${id} cannot be read, because the secret key has changed.`,
    restoreKey:
      "Set the provider again on the page Settings, or restore sealing.key or CAPSTAN_PREVIOUS_SECRET_KEY.",
    unreadableValue: (name: string) =>
      `The value ${name} for scripts cannot be read, because the secret key has changed.`,
    bash: "There is no Shell tool.",
    powershell: "PowerShell scripts are read but not run, and there is no PowerShell tool.",
    powershellFix: "Install PowerShell 7: https://aka.ms/install-powershell",
    font: "Pictures of charts show boxes for Chinese, Japanese and Korean.",
    noFont: "there is no font for Chinese, Japanese and Korean",
    browser: "The project's own tests of the page are skipped.",
    database: "Servers with this address do not start, or can lose confirmed data.",
    redis: "Runs continue with a delay: each server claims queued runs from the database.",
    notOnPath: (program: string) => `${program} is not on PATH.`,
    callWorks: (program: string, isConfined: boolean) =>
      `${program}; a test call ${isConfined ? "in the sandbox " : ""}works`,
    callFails: (program: string, problem: string) => `${program}; a test call failed: ${problem}`,
  },
  pair: {
    noTerminal:
      "capstan pair prints a link that grants all rights, so standard input and output must be a terminal.",
    noServer: (dataDir: string) =>
      `No server uses the data in ${dataDir}. Start one with \`capstan serve\`; give --url for a server with a PostgreSQL database.`,
    invalidUrl: (url: string) =>
      `--url: expected an address of this machine such as http://127.0.0.1:8787, got ${url}`,
    noKey: (dataDir: string, url: string) =>
      `${dataDir} has no key for the server at ${url}. Give the data directory of that server with --data, as the user who runs the server.`,
    unknownSession: (id: string) => `There is no session ${id}.`,
    revoked: (id: string) => `Revoked ${id}: that browser is no longer paired.`,
    link: "pairs the browser that opens it, once, within 10 minutes",
    noBrowser: "No browser is paired. `capstan pair` prints a link.",
  },
  rules: {
    seeHelp: (message: string) => `${message} \`capstan rules --help\` describes the commands.`,
    unknownAction: (verb: string, hint: string) =>
      `There is no command \`capstan rules ${verb}\`.${hint}`,
    onlyForSet: (flag: string) => `--${flag} belongs to \`capstan rules set TOOL\`.`,
    unexpected: (verb: string, operand: string) => `rules ${verb} takes no "${operand}".`,
    noTool: "rules set needs a tool such as files.ViewFile, a group such as files.*, or '*'.",
    noRule: "rules remove needs the id of a rule, or its tool.",
    noField:
      "rules set needs at least one of --execution, --result or --minutes; --reason is optional.",
    invalidWhen: (text: string | undefined) =>
      `--when: expected NAME=PATTERN such as path=docs/**, or JSON such as '{"path":"docs/**"}', got ${text}.`,
    invalidMinutes: (text: string | null | undefined) =>
      `--minutes: expected minutes such as 30, or reset, got ${text}.`,
    emptied: (tool: string) => `The rule for ${tool} has no fields any more, so it was removed.`,
    removed: (title: string) => `Removed: ${title}.`,
    unknownRule: (rule: string) => `You have no rule ${rule}. \`capstan rules\` lists your rules.`,
    ambiguous: (tool: string, count: number) => `${tool} has ${count} rules. Give the id of one:`,
    noRules: "You have no rules of your own: the tools and the administrator's rules decide.",
    result: (policy: string) => `result reviewed: ${policy}`,
    minutes: (minutes: number) => `requests expire after ${minutes} min`,
    reason: (reason: string) => `reason: ${reason}`,
  },
  serve: {
    pageFailed: (reason: string) => `The page could not be built; the API works. ${reason}`,
    failed: (reason: string) => `${reason} The server stops. Start it again: stored runs continue.`,
    stopping:
      "Stopping: runs end, or continue at the next start. Press Ctrl+C again to stop immediately.",
    stopped: "Stopped.",
    stoppedIdle: "Stopped. All runs have ended.",
    approvalsOpen: "Pending approval requests stay open.",
    handedBack: (runs: number) =>
      runs === 1
        ? "1 run did not end: the next start continues it."
        : `${runs} runs did not end: the next start continues them.`,
  },
  tools: {
    off: "off",
    needs: (what: string) => `needs ${what}`,
    alwaysOffered: "always offered",
    byRule: "by rule",
    otherRules: "other rules for some arguments",
    searchUsage: "Give the words of a task: capstan tools search rename a file",
    noneFound: "No tool fits. Try other words, in English.",
  },
  mcp: {
    noDirectory: (directory: string) =>
      `--directory: there is no folder ${directory}. Connect the program again with \`capstan connect\`.`,
    notConnected: (program: string) =>
      `--program: ${program} is not connected, or its key was revoked. \`capstan connect\` connects a program.`,
    invalidGroup: (group: string) =>
      `--group: expected the name of a group such as web, got ${group}`,
  },
  connection: {
    invalidUrl: (url: string) =>
      `--url: expected an address such as http://127.0.0.1:8787, got ${url}`,
    keyHint: "Set CAPSTAN_API_KEY to a key of this server.",
    twoConversations: "Give --continue or --conversation, not both.",
    serverRuns: (where: string) =>
      `A server is running${where}. This list shows the current files; the server may use the last valid version of a broken file, and the configuration of its start.`,
  },
  start: {
    portInUse: (port: number, host: string, holder: string, other: number) =>
      `Port ${port} of ${host} is in use. ${holder}\nTo use another port: --port ${other}, or --port 0 for any free port.`,
    capstanAt: (url: string) =>
      `Capstan runs there already: open ${url}, or use it with \`capstan chat --url ${url}\`.`,
    otherProgram: (command: string) => `Another program uses it (\`${command}\` shows which).`,
    portNotAllowed: (port: number, host: string, reason: string) =>
      `This user may not listen on port ${port} of ${host}: ${reason}\nEvery user may use ports from 1024 on: --port 8787.`,
    noSuchAddress: (host: string) =>
      `host: this machine has no address ${host}. --host 127.0.0.1 listens for this machine only.`,
    dataInUse: (dataDir: string) => `Another Capstan uses the data in ${dataDir}.`,
    dataInUseAt: (dataDir: string, url: string) =>
      `Another Capstan uses the data in ${dataDir}: it is at ${url}.\nOpen that address, or use \`capstan chat\`.`,
    otherData: "To start a second server, give it another data directory: --data DIR.",
  },
} as const;
