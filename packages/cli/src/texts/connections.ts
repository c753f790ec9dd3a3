/** Help and texts of `capstan connections`. Descriptions are wrapped by hand at 105 columns. */
export const connectionsHelp = {
  group: {
    summary: "Servers whose tools are used: add them, sign in, accept changes",
    description: `A connection is an MCP server (a program that is started in the sandbox, or an address) or a service
with an OpenAPI document. Each is a group of tools. Add servers with \`capstan connections add\`, or
name them in the configuration:
  {"connections": {"notes": {"command": "mcp-server-filesystem", "args": ["/srv/notes"],
                             "read": ["/srv/notes"]},
                   "tickets": {"url": "https://mcp.example.org/mcp",
                               "headers": {"Authorization": "Bearer \${TICKETS_TOKEN}"}},
                   "petstore": {"openapi": "./petstore.yaml"}}}`,
    examples: [
      { line: "capstan connections list", comment: "the servers and their tools" },
      { line: "capstan connections add tickets https://mcp.example.org/mcp", comment: "a server" },
      { line: "capstan connections login tickets", comment: "sign in with the browser" },
      { line: "capstan connections check", comment: "connect to each" },
      { line: "capstan connections accept notes", comment: "see and accept changed tools" },
    ],
  },
  list: {
    summary: "List the servers, their tools and their states, without connecting",
    description: `Lists the connections with the tools that were stored. A tool that its server has added or changed is
marked: models are not offered it until you accept it. If no server of Capstan runs, one is started for
the command.`,
    options: { json: "As JSON, for programs" },
    examples: [{ line: "capstan connections list --json", comment: "as JSON" }],
  },
  check: {
    summary: "Connect to the servers, and read their tools",
    description: `Starts each program, or reaches each address, and reads the list of tools. The first list of a server
is accepted. The exit code is 1 if a server cannot be reached, needs a variable or a sign-in, or has
changed tools.`,
    options: { json: "As JSON, for programs" },
    examples: [{ line: "capstan connections check notes", comment: "one server" }],
  },
  accept: {
    summary: "Show the tools that a server has added or changed, and accept them",
    description: `Shows the difference to the tools that you accepted last. Read it as you would read code: models follow
descriptions, so a changed description can misuse the tools.`,
    options: { yes: "Accept without asking" },
    examples: [{ line: "capstan connections accept notes", comment: "shows, then asks" }],
  },
  add: {
    summary: "Add an MCP server at an address, or a program",
    description: `Stores the connection in the database, and connects to the server. All users can use its tools. Each
user must sign in, unless the sign-in is shared. A program runs in the sandbox, and sees only the
folders that you name.`,
    options: {
      read: "Folders that the program can read, separated by commas",
      write: "Folders that the program can change, separated by commas",
      network: "Hosts that the program can reach, separated by commas",
      private: "Accept without asking that the server is in a private network",
      issuer: "The authorization server, if the server does not state it or it is private",
      client: "The id of a client that you registered at the authorization server",
    },
    examples: [
      {
        line: "capstan connections add tickets https://mcp.example.org/mcp",
        comment: "an address",
      },
      {
        line: "capstan connections add notes mcp-server-filesystem /srv/notes --read /srv/notes",
        comment: "a program",
      },
    ],
  },
  login: {
    summary: "Sign in at a server, or store a key for it",
    description: `Without options, prints the address of the sign-in, opens it in the browser, and waits for the browser
to return. Tokens are stored encrypted, and refreshed when they expire. A key or a password is read
from the terminal, or from standard input; no option contains it.`,
    options: {
      device: "Sign in with a code that you enter on another device",
      "no-browser": "Do not open a browser; paste the address to which the browser was sent",
      port: "The port for the browser's return, if the authorization server requires one",
      key: "Store a token, which is sent as Authorization: Bearer",
      header: "Store a key, which is sent in this header",
      user: "Store a password for this user",
      client: "Store the secret of this OAuth client (client credentials)",
      scope: "The scopes for --client",
      shared: "For all users",
    },
    examples: [
      { line: "capstan connections login tickets", comment: "with the browser" },
      { line: "capstan connections login tickets --device", comment: "without a browser here" },
      {
        line: "capstan connections login shop --header X-Api-Key --shared",
        comment: "a key for all",
      },
    ],
  },
  logout: {
    summary: "Delete your credential for a server, and revoke it there",
    description: `Revokes the tokens at the authorization server, if it offers this, and deletes them. A key is deleted;
revoke it at the service that issued it.`,
    options: { shared: "The credential that all users share" },
    examples: [{ line: "capstan connections logout tickets", comment: "your own credential" }],
  },
  remove: {
    summary: "Remove a connection that was added, with its credentials",
    description: `Revokes and deletes the credentials of all users for this server. Connections of the configuration are
removed there.`,
    options: { yes: "Remove without asking" },
    examples: [{ line: "capstan connections remove tickets", comment: "asks first" }],
  },
  rotateKey: {
    summary: "Encrypt the stored credentials, values and provider keys with a new key",
    description: `Creates a new key in the file sealing.key of the data directory. The file keeps the older keys, so that
values that they encrypted stay readable. With CAPSTAN_SECRET_KEY, first restart the servers with the
new secret, and with the old one in CAPSTAN_PREVIOUS_SECRET_KEY; then run this command. It also encrypts
the values for scripts and the keys of model providers. If it is interrupted, run it again. Without the
old secret, the receipts that clients got before cannot be read.`,
    options: {},
    examples: [{ line: "capstan connections rotate-key", comment: "a new key" }],
  },
  url: "Capstan's server, instead of the one that uses the data directory",
} as const;

const credentialKinds = {
  bearer: "a token",
  basic: "a password",
  api_key: "a key",
  oauth: "signed in",
  client_credentials: "a client's secret",
} as const;

/** Results and errors of `capstan connections`. */
export const connectionTexts = {
  none: "There are no connections. Add one: capstan connections add NAME URL. `capstan connections --help` shows examples.",
  unknown: (name: string, known: readonly string[]) =>
    `There is no connection ${name}. There ${known.length === 0 ? "are none" : `are: ${known.join(", ")}`}.`,
  noName: (verb: string) => `Name a connection: capstan connections ${verb} NAME`,
  states: {
    idle: "the next call connects",
    connecting: "connecting",
    ready: "connected",
    backing_off: "cannot be reached",
    needs_sign_in: "needs a sign-in",
    needs_acceptance: "has tools that you have not accepted",
    not_configured: "needs a variable",
    off: "off",
  },
  credential: (given: {
    readonly type: keyof typeof credentialKinds;
    readonly shared: boolean;
    readonly state: "ready" | "needs_sign_in" | "unreadable";
    readonly issuer: string | null;
  }) => {
    const where = given.issuer === null ? "" : ` at ${given.issuer}`;
    const state = {
      ready: "",
      needs_sign_in: "; expired or revoked",
      unreadable: "; encrypted with another secret key",
    }[given.state];
    return `access: ${credentialKinds[given.type]}${where}, ${given.shared ? "for all users" : "your own"}${state}`;
  },
  private: "may have a private address",
  waiting: (tools: string, name: string) =>
    `needs your approval: ${tools}. Show and accept: capstan connections accept ${name}`,
  missing: (variables: string) => `set ${variables}`,
  works: (tools: string, notes: string) =>
    `works: ${tools}${notes === "" ? "" : `. ${notes.slice(0, 1_000)}`}`,
  nothingToAccept: (name: string) => `The tools of ${name} are those that were accepted.`,
  removed: "Removed by the server, no longer offered:",
  confirm: "Accept these tools?",
  noTerminal: "There is no terminal; --yes accepts without asking.",
  notAccepted: "Nothing was accepted.",
  accepted: "Accepted. A running server offers them at once.",
  without: "Models are not offered the tools of this server, or calls of them fail.",
  addUsage:
    "Name the connection and its server: capstan connections add NAME URL, or: capstan connections add NAME PROGRAM [ARGUMENT…] [--read DIR,…] [--write DIR,…] [--network HOST,…]",
  confirmPrivate: (name: string) => `Add ${name} as a server in your private network?`,
  noTerminalPrivate: "There is no terminal; --private adds it without asking.",
  signInNext: (name: string) => `Sign in: capstan connections login ${name}`,
  confirmRemove: (name: string) => `Remove ${name} and all credentials for it?`,
  noTerminalRemove: "There is no terminal; --yes removes without asking.",
  removedConnection: (name: string) => `Removed ${name} and all credentials for it.`,
  rotated: (count: number) =>
    count === 1 ? "1 secret was encrypted again." : `${count} secrets were encrypted again.`,
  unreadable: (names: string) =>
    `These were encrypted with a key that is lost: ${names}. Restore the key, or set them again. Sign in again with: capstan connections login NAME`,
  oneWay: "Choose one of --key, --header, --user and --client.",
  askSecret: (name: string) => `Key or password for ${name} (not shown): `,
  noSecret: "Nothing was entered.",
  enterCode: (url: string, code: string) => `Open ${url} and enter the code ${code}`,
  openUrl: (url: string) => `Sign in at this address:\n${url}\n`,
  invalidPort: "--port: expected a number from 0 to 65535.",
  tooLate: (name: string) =>
    `The sign-in was not completed within 10 minutes. Start again: capstan connections login ${name}`,
  paste: "If the browser runs on another machine, paste the address that it was sent to: ",
  notPasted:
    "This address does not belong to this sign-in. Paste the whole address, with its code and state.",
  closeBrowser: "The terminal shows whether you are signed in. You can close this page.",
  strangeAnswer: "This address belongs to another sign-in. Use the one that the terminal shows.",
  signedOut: (name: string, revoked: boolean | null) => {
    if (revoked === true) return `The credential for ${name} was revoked and deleted.`;
    return revoked === false
      ? `The credential for ${name} was deleted here. The authorization server did not revoke it: revoke it there.`
      : `The credential for ${name} was deleted here. If it was a key, revoke it at the service that issued it.`;
  },
} as const;
