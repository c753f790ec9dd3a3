/** Help and texts of `capstan connections`. Descriptions are wrapped by hand at 105 columns. */
export const connectionsHelp = {
  group: {
    summary: "MCP servers and OpenAPI services whose tools are used",
    description: `A connection is an MCP server, a program in the sandbox or an address, or an OpenAPI document. Each is a
group of tools. The configuration names them:
  {"connections": {"notes": {"command": "mcp-server-filesystem", "args": ["/srv/notes"],
                             "read": ["/srv/notes"]},
                   "tickets": {"url": "https://mcp.example.org/mcp",
                               "headers": {"Authorization": "Bearer \${TICKETS_TOKEN}"}},
                   "petstore": {"openapi": "./petstore.yaml"}}}`,
    examples: [
      { line: "capstan connections list", comment: "the servers and their tools" },
      { line: "capstan connections check", comment: "connect to each" },
      { line: "capstan connections accept notes", comment: "see and accept changed tools" },
    ],
  },
  list: {
    summary: "List the servers, their tools and their states, without connecting",
    description: `Lists the connections of the configuration with the tools that were stored. A tool that its server has
added or changed is marked: models are not offered it until you accept it.`,
    options: { json: "As JSON, for programs" },
    examples: [{ line: "capstan connections list --json", comment: "for a program" }],
  },
  check: {
    summary: "Connect to the servers, and read their tools",
    description: `Starts each program, or reaches each address, reads the list of tools, and ends the connection. The
first list of a server is accepted. The exit code is 1 if a server cannot be reached, needs a variable
or credentials, or has changed tools.`,
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
} as const;

/** Results and errors of `capstan connections`. */
export const connectionTexts = {
  none: 'There are no connections. Name one in capstan.config.json: {"connections": {"notes": {"command": "…"}}}. `capstan connections --help` shows an example.',
  unknown: (name: string, known: readonly string[]) =>
    `There is no connection ${name}. There ${known.length === 0 ? "are none" : `are: ${known.join(", ")}`}.`,
  noName: "Name a connection: capstan connections accept NAME",
  states: {
    idle: "the next call connects",
    connecting: "connecting",
    ready: "connected",
    backing_off: "cannot be reached",
    needs_sign_in: "needs credentials",
    needs_acceptance: "has tools that you have not accepted",
    not_configured: "needs a variable",
    off: "off",
  },
  waiting: (tools: string, name: string) =>
    `needs your approval: ${tools}. To review them: capstan connections accept ${name}`,
  missing: (variables: string) => `set ${variables}`,
  works: (tools: string) => `works: ${tools}`,
  nothingToAccept: (name: string) => `The tools of ${name} are those that were accepted.`,
  removed: "Removed by the server, no longer offered:",
  confirm: "Accept these tools?",
  noTerminal: "There is no terminal to ask; --yes accepts without asking.",
  notAccepted: "Nothing was accepted.",
  accepted: "Accepted. A running server offers them at once.",
  without: "Models are not offered the tools of this server, or calls of them fail.",
} as const;
