/** Results and errors of `capstan connect`. */
export const connectTexts = {
  inputTitle: "Key of Capstan for VS Code",
  extensionTitle: "Capstan's tools, with its approvals and records",
  next: {
    newSession: "New sessions have the tools.",
    restart: "Restart it to get the tools.",
    vscode:
      'Run "MCP: List Servers" in VS Code and start capstan. VS Code asks for the key once and stores it encrypted.',
    cursor: "Cursor lists the server in its settings under MCP; enable it there if it is off.",
    atOnce: "It loads the change at once.",
  },
  noClient: (names: string) =>
    `connect needs a client: ${names}; or list. \`capstan connect --help\` describes them.`,
  unknownClient: (name: string, names: string, hint: string) =>
    `There is no client "${name}".${hint} The clients are ${names}. Other clients can use the address and key of docs/reference/mcp.md.`,
  oneAction: "Use only one of --print, --undo and --check.",
  tooMany: (operand: string) => `connect takes one client, but got "${operand}" as well.`,
  noPort:
    "No server uses this data directory, and its port is 0, so its address is unknown. Start the server, or give --url.",
  invalidUrl: (url: string) =>
    `--url: expected an address such as http://127.0.0.1:8787, got ${url}`,
  invalidGroup: (group: string) =>
    `--group: expected the name of a group such as web, got ${group}`,
  change: (title: string, file: string) => `${title}: ${file}`,
  created: "The file does not exist yet.",
  removed: "The file did not exist before, so it is removed.",
  link: (target: string) =>
    `It is a link to ${target}. If that file is shared, use --stdio: then it contains no key.`,
  keyInFile: (mode: string) =>
    `The file will contain the key, which can only ask, never approve. Only your user will be able to read the file (0600)${mode === "" ? "" : `; its permissions are ${mode} now`}.`,
  keyAsked: (file: string) => `The file contains no key. The key is in ${file}: paste it once.`,
  keyInData: (file: string) => `The file contains no key. The key is in ${file}.`,
  replaces: (entry: string) => `It replaces the existing ${entry}. --undo restores it.`,
  confirm: "Write this change?",
  confirmUndo: "Restore the file and revoke the key?",
  noTerminal: "There is no terminal; --yes writes without asking.",
  notWritten: "Nothing was changed.",
  connected: (title: string, principal: string) =>
    `Connected ${title}. Its calls, rules and grants are those of ${principal}.`,
  people:
    "From now on, only you can answer approval requests: on a paired page (capstan pair) or in the terminal (capstan approvals).",
  notRunning: (url: string) => `No server runs at ${url} now. Start it with \`capstan serve\`.`,
  checkHint: (name: string) => `\`capstan connect --check ${name}\` tries the connection.`,
  disconnected: (title: string) => `Disconnected ${title}. Its key is revoked.`,
  notConnected: (title: string) => `${title} is not connected to this data directory.`,
  revokedOnly: (title: string) =>
    `The key of ${title} is revoked. Its file has no entry of Capstan.`,
  none: "No client is connected. `capstan connect codex` connects Codex.",
  never: "never",
  listed: (columns: {
    readonly name: string;
    readonly created: string;
    readonly used: string;
    readonly file: string;
  }) => `${columns.name}  connected ${columns.created}  used ${columns.used}  ${columns.file}`,
  noRecord: "unknown file",
  check: {
    without: "The client cannot use Capstan's tools.",
    noEntry: (file: string, entry: string) => `${file} has no ${entry}`,
    entry: (file: string, how: string) => `${file}: ${how}`,
    connectAgain: (name: string) => `capstan connect ${name}`,
    start: "capstan serve",
    noKey: "the key is neither in the file nor in the data directory",
    initialized: (server: string) => `${server} accepts the key`,
    tools: (count: number) => `${count} tools`,
    noTools: "the server offers no tools; `capstan tools` shows why",
    called: (tool: string, ms: string) => `${tool} answered in ${ms}`,
    waits: (tool: string) => `${tool} needs your approval, because your rules require it`,
    noTool: "no tool that only reads can be called without arguments; nothing was called",
    failed: (tool: string, reason: string) => `${tool} failed: ${reason}`,
    status: (status: number, reason: string) => `status ${status}: ${reason}`,
    noAnswer: (seconds: number) => `no answer within ${seconds} s`,
    ended: (reason: string) => `the command ended: ${reason}`,
  },
  file: {
    noFile: "it is not a file",
    tooLarge: (bytes: number) => `it has more than ${bytes} bytes`,
    byteOrderMark:
      "it begins with a byte order mark. Save it as UTF-8 without one, and run the command again",
    unreadable: (file: string, reason: string) =>
      `Cannot read ${file}: ${reason}. Nothing was changed.`,
    unwritable: (file: string, reason: string) =>
      `Cannot write ${file}: ${reason}. Nothing was changed.`,
    changed: (file: string) =>
      `${file} was changed by another program in the meantime. Nothing was changed. Run the command again.`,
    unsupported: (file: string, problem: string, entry: string) =>
      `Cannot edit ${file}: ${problem}. Nothing was changed. Repair the file, or add ${entry} by hand: \`--print\` shows the entry.`,
  },
  printed: (file: string) => `# ${file}`,
  keyPlaceholder: "KEY",
} as const;
