/** Help of the commands, except `capstan scripts`. Descriptions are wrapped by hand at 105 columns. */
export const commandHelp = {
  serve: {
    summary: "Start the server, and the web page with it",
    description: `Serves the page and the API at one address until you stop it.
Set the key of a provider to use its models: OPENAI_API_KEY, ANTHROPIC_API_KEY,
GOOGLE_GENERATIVE_AI_API_KEY, or CAPSTAN_MODEL_URL for any OpenAI-compatible server. Without one the
offline model answers.
A flag overrides the environment variable in brackets, and both override capstan.config.json.
To let other machines connect, set --host and keys: CAPSTAN_API_KEYS="name:key,name:key".
If the settings file allows more than the last accepted one, the server shows the change and asks.
Without a terminal the accepted settings apply; see capstan config.
Several servers can share a PostgreSQL database, CAPSTAN_DATABASE_URL, and a queue, CAPSTAN_REDIS_URL.`,
    options: { "accept-config": "Accept a changed settings file without asking" },
    examples: [
      { line: "capstan serve", comment: "then open http://127.0.0.1:8787" },
      {
        line: "capstan serve --port 9000 --data ~/capstan",
        comment: "another port and data directory",
      },
      { line: "capstan serve --model openai/gpt-5.5", comment: "the default model" },
    ],
  },
  chat: {
    summary: "Chat in the terminal, with approvals",
    description: `Connects to the server that uses the data directory, so the page shows the same conversation. If none
runs, it starts one until you leave. Calls that need your approval are shown in place.
If the input is a pipe, each line is a message, answers go to standard output and all other text to
standard error. Calls that need approval are then denied; --yes allows them.
Set CAPSTAN_API_KEY if the server requires a key.`,
    options: {
      url: "Connect to this server instead",
      model: "Model of the chat, as provider/model",
      continue: "Continue the newest conversation",
      conversation: "Continue this conversation",
      yes: "Allow each call that needs approval once; rules still apply",
    },
    examples: [
      { line: "capstan chat", comment: "try: what can you do?" },
      { line: "capstan chat --continue", comment: "the newest conversation" },
      { line: 'echo "/DateTime {}" | capstan chat', comment: "one message, from a script" },
      { line: "capstan chat --url http://127.0.0.1:9000", comment: "another server" },
    ],
  },
  ask: {
    summary: "Ask one question, for scripts and pipes",
    description: `Prints the answer on standard output and everything else on standard error, then ends. Text from a pipe
follows the question. Connects to a server as \`capstan chat\` does, so the page shows the conversation.
In a terminal you are asked to approve calls. In a pipe, calls that need approval are denied; --yes
allows them.
The exit code is 1 if the turn failed, and 2 if the arguments are invalid.`,
    options: {
      file: "Attach this file; can be repeated",
      json: "Print the answer, the calls and the usage as JSON",
      model: "Model to ask, as provider/model",
      continue: "Ask in the newest conversation",
      conversation: "Ask in this conversation",
      yes: "Allow each call that needs approval once; rules still apply",
      url: "Connect to this server instead",
    },
    examples: [
      { line: 'capstan ask "What does this folder contain?"', comment: "one question" },
      { line: 'git diff | capstan ask "Write a commit message"', comment: "text from a pipe" },
      {
        line: 'capstan ask "Draw a chart of the sales" --file sales.xlsx',
        comment: "with an attached file",
      },
      { line: 'capstan ask "Which day is it?" --json | jq -r .answer', comment: "as JSON" },
    ],
  },
  mcp: {
    summary: "Give the tools to another program, over MCP on standard input and output",
    description: `For programs that start MCP servers as commands, for example Claude Desktop. Connects to the server that
uses the data directory, or starts one until the program ends the connection. Programs that connect
over HTTP use the address of the server with /mcp instead.
Calls that need approval wait for a user on the page or in a terminal, never for the program.
Set CAPSTAN_API_KEY if the server requires a key; the right "ask" is enough.`,
    options: {
      group: "Only the tools of this group",
      program: "Use the key of this connected program; capstan connect writes it",
      directory: "Run in this folder, with its configuration",
      url: "Connect to this server instead",
    },
    examples: [
      { line: "capstan mcp", comment: "the command that the program starts" },
      { line: "capstan mcp --group web", comment: "only the tools for the public web" },
    ],
  },
  connect: {
    summary: "Connect an agent such as Codex or Claude Code to the tools",
    description: `capstan connect CLIENT    adds Capstan to the configuration of claude-code, claude-desktop, codex,
                          vscode, cursor, zed or goose; shows the change and asks first
capstan connect list      lists the connected clients, and when their keys were last used

Each client gets its own key, which can ask but not approve. Rules, grants and records are separate for
each client. A running server accepts the key at once. Connecting a client again replaces its key.
--undo restores the file as it was, keeps later changes to other parts, and revokes the key.
--check makes a call through the configuration of one client, or of all connected clients.
The key is in the client's file, which only your user can then read. With --stdio, and for Claude
Desktop, the client starts \`capstan mcp\` and its file has no key. VS Code asks for the key once.`,
    options: {
      yes: "Do not ask",
      print: "Print the entry with KEY instead of a key; change nothing",
      undo: "Restore the file, and revoke the key",
      check: "Test the connection",
      stdio: "Let the client start a command instead of connecting over HTTP",
      group: "Only the tools of this group",
      json: "With list: as JSON, for programs",
      url: "The server's URL, if it is not the configured one",
    },
    examples: [
      { line: "capstan connect codex", comment: "shows the change, asks, and connects Codex" },
      { line: "capstan connect codex --check", comment: "tries the connection with a call" },
      { line: "capstan connect codex --undo", comment: "restores the file and revokes the key" },
    ],
  },
  pair: {
    summary: "Pair a browser so that it can approve calls; list and end paired sessions",
    description: `Prints a link for the server that uses the data directory. The link works once, within 10 minutes. The
browser that opens it can send messages, approve calls and administer, until it is unused for 90 days.
Pairing is required if approvals.from in capstan.config.json is "people", the default with keys.
capstan serve also prints a link. Terminals of the user who runs the server need none.
Without a terminal no link is printed.`,
    options: {
      list: "List the paired browsers instead",
      revoke: "End the session of a browser",
      json: "With --list: as JSON",
      url: "The server's address on this machine",
    },
    examples: [
      { line: "capstan pair", comment: "then open the link in a browser" },
      { line: "capstan pair --list", comment: "browsers that can approve calls" },
    ],
  },
  tools: {
    summary: "List the tools, and which calls need approval",
    description: `Lists the configured groups and tools, without a server. For each tool it shows whether new
conversations have it, whether its calls run at once (auto), need approval (ask-once, ask-always) or
never run (deny), and its effects (read, write, locks, exclusive).
With search, it lists the tools that fit a task, the best first, as a model finds them.
Change groups and rules in capstan.config.json:
  {"groups": {"web": false}, "rules": [{"tool": "files.*", "execution": "ask-always"}]}`,
    options: { json: "As JSON, with descriptions and parameters" },
    examples: [
      { line: "capstan tools", comment: "tools that a model can call here" },
      { line: "capstan tools search rename a file", comment: "the ten tools that fit best" },
      { line: "capstan tools --json", comment: "all tools, as JSON" },
    ],
  },
  rules: {
    summary: "Your own rules: which calls need approval, run at once, or never run",
    description: `Lists, changes and removes your own rules on the server that uses the data directory. If none runs, it
starts one for this command. A rule covers a tool (files.ViewFile), a group ('files.*') or all tools
('*'); --when limits it to calls with matching arguments. Its fields:
  --execution  auto: runs at once; ask-once: needs approval the first time; ask-always: every time;
               deny: never runs
  --result     never, on-error or always: whether you review a result before the model reads it
  --minutes    minutes until an approval request expires
Fields that you leave out keep their value; reset removes one. A change applies from the next call.
Your rules can be stricter than the administrator's rules in capstan.config.json, but not less strict.
A rule without effect is stored and marked.`,
    options: {
      execution: "auto, ask-once, ask-always, deny, or reset",
      result: "never, on-error, always, or reset",
      when: "Arguments: path=docs/** or JSON; see docs/reference/policy.md",
      minutes: "Minutes until an approval request expires, or reset",
      reason: "Shown in approval requests, and read by the model if the call is denied; or reset",
      program: "The rules of this connected program instead of yours, such as codex",
      json: "As JSON, for programs",
      url: "Connect to this server instead",
    },
    examples: [
      { line: "capstan rules", comment: "your rules, and whether they have an effect" },
      {
        line: "capstan rules set 'web.*' --execution ask-always",
        comment: "every request needs approval",
      },
      {
        line: "capstan rules set '*' --when 'path=secrets/**' --execution deny",
        comment: "never use these files",
      },
      { line: "capstan rules remove 'web.*'", comment: "remove a rule" },
    ],
  },
  approvals: {
    summary: "Answer pending approval requests",
    description: `Asks about all pending approval requests and reviews, of your conversations and connected programs.
Without a terminal, it only lists them.`,
    options: { url: "Connect to this server instead" },
    examples: [{ line: "capstan approvals", comment: "answer each, the oldest first" }],
  },
  outcomes: {
    summary: "Report the outcome of calls that a crash interrupted",
    description: `Lists the calls of all your conversations that were running when a server crashed, so that their
outcome is unknown, and asks about each: it happened, it did not happen, or run it again. Enter skips one.
If the input is a pipe, it only lists them. Set CAPSTAN_API_KEY if the server requires a key.`,
    options: { url: "Connect to this server instead" },
    examples: [{ line: "capstan outcomes", comment: "answer each, the oldest first" }],
  },
  config: {
    summary: "Show changes of the settings file, and accept them",
    description: `capstan config diff      shows the changes since the file was accepted, and the settings that allow more
capstan config accept    shows the changes, asks, and accepts them for the next start

When a server starts for the first time, it accepts the file. It also accepts changes that allow nothing
more. Any other change applies only after a user accepts it, so that a tool that writes files cannot
loosen its own rules. Until then the last accepted configuration applies.`,
    options: { yes: "With accept: do not ask" },
    examples: [
      {
        line: "capstan config diff",
        comment: "exit code 0: no change is pending; 1: a change is pending, and shown",
      },
      { line: "capstan config accept", comment: "then start the server again" },
    ],
  },
  doctor: {
    summary: "Check for missing programs, and how to install them",
    description: `Looks for optional programs: a sandbox for scripts and code, Python, Bash, PowerShell, and a browser
for the project's own tests. Shows the purpose of each and the command that installs it.
Capstan starts without them.

If CAPSTAN_DATABASE_URL or CAPSTAN_REDIS_URL is set, it checks whether that PostgreSQL or Redis can be
reached, shows version and settings, and says what to do. It changes nothing there and shows no
password.`,
    options: { json: "As JSON" },
    examples: [
      { line: "capstan doctor", comment: "installed and missing programs" },
      { line: "capstan doctor --json", comment: "the same as JSON" },
    ],
  },
  db: {
    summary: "Show, prune, check, back up or shrink the stored data",
    description: `capstan db usage     shows the stored bytes of each user by kind
capstan db prune     deletes data beyond the retention in capstan.config.json, or beyond --days and
                     --megabytes; --dry-run only shows what it would delete
capstan db check     verifies each page of the database, its log, the checksum of each row and the
                     event numbers; on PostgreSQL the checksums and the stored inputs
capstan db backup    writes a consistent copy to --to FILE
capstan db vacuum    returns the space of deleted data to the disk

usage, prune --dry-run, check and backup work while a server runs; prune and vacuum require that it is
stopped. A running server prunes every hour if its settings have a retention. backup and vacuum are
for SQLite only; for PostgreSQL use its own tools. To restore a backup, stop the server, replace
capstan.db in the data directory with the copy, and delete capstan.db-wal and capstan.db-shm.`,
    options: {
      "dry-run": "With prune: show what it would delete, without deleting it",
      days: "With prune: delete conversations that were not used for N days",
      megabytes: "With prune: delete the oldest conversations of users who store more than N MB",
      to: "File of the backup",
    },
    examples: [
      { line: "capstan db usage", comment: "stored bytes by user and kind" },
      {
        line: "capstan db prune --days 365 --dry-run",
        comment: "what a limit of one year would delete",
      },
      { line: "capstan db check", comment: "exit code 0: no corruption; 1: corruption, listed" },
      { line: "capstan db backup --to capstan-monday.db", comment: "also while the server runs" },
    ],
  },
} as const;

/** Help of the settings that are also flags. */
export const settingHelp = {
  config: "Settings file; default capstan.config.json, if it exists",
  port: "Port; default 8787, 0 takes any free one",
  host: "Address to listen on; default 127.0.0.1, this machine only",
  data: "Data directory, with the conversations; default .capstan",
  model: "Default model, as provider/model",
} as const;
