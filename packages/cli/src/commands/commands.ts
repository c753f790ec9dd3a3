import type { Command, CommandGroup } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";
import { scriptsCommand } from "./scripts/scripts.ts";

/*
 * The commands and their help, as data. The code of a command is loaded when it runs.
 */

const serveCommand: Command = {
  name: "serve",
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
  options: {
    ...settingOptions,
    "accept-config": {
      type: "boolean",
      description: "Accept a changed settings file without asking",
    },
  },
  examples: [
    { line: "capstan serve", says: "then open http://127.0.0.1:8787" },
    { line: "capstan serve --port 9000 --data ~/capstan", says: "another port and data directory" },
    { line: "capstan serve --model openai/gpt-5.5", says: "the default model" },
  ],
  load: async () => (await import("./serve.ts")).serve,
};

const chatCommand: Command = {
  name: "chat",
  summary: "Talk in the terminal, with approvals",
  description: `Connects to the server that uses the data directory, so the page shows the same conversation. If none
runs, it starts one until you leave. Calls that need your approval are shown in place.
If the input is a pipe, each line is a message, answers go to standard output and all other text to
standard error. Calls that need approval are then denied; --yes allows them.
Set CAPSTAN_API_KEY if the server requires a key.`,
  options: {
    url: {
      type: "string",
      placeholder: "URL",
      description: "Talk to this server instead",
    },
    model: {
      type: "string",
      placeholder: "MODEL",
      description: "Model to talk to, as provider/model",
    },
    continue: { type: "boolean", description: "Continue the newest conversation" },
    conversation: {
      type: "string",
      placeholder: "ID",
      description: "Continue this conversation",
    },
    yes: {
      type: "boolean",
      description: "Allow each call that needs approval once; rules still apply",
    },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan chat", says: "try: what can you do?" },
    { line: "capstan chat --continue", says: "the newest conversation" },
    { line: 'echo "/DateTime {}" | capstan chat', says: "one message, from a script" },
    { line: "capstan chat --url http://127.0.0.1:9000", says: "another server" },
  ],
  load: async () => (await import("./chat.ts")).openChat,
};

const pairCommand: Command = {
  name: "pair",
  summary: "Pair a browser so that it may approve calls; list and end paired sessions",
  description: `Prints a link for the server that uses the data directory. The link works once, within 10 minutes. The
browser that opens it may ask, approve and administer until it is unused for 90 days.
Pairing is required if approvals.from in capstan.config.json is "people", the default with keys.
capstan serve prints a link, too. Terminals of the user who runs the server need none.
Without a terminal no link is printed.`,
  options: {
    list: { type: "boolean", description: "List the paired browsers instead" },
    revoke: { type: "string", placeholder: "ID", description: "End the session of a browser" },
    json: { type: "boolean", description: "With --list: as JSON" },
    url: {
      type: "string",
      placeholder: "URL",
      description: "The server's address on this machine",
    },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan pair", says: "then open the link in a browser" },
    { line: "capstan pair --list", says: "which browsers may approve" },
  ],
  load: async () => (await import("./pair.ts")).pairBrowser,
};

const toolsCommand: Command = {
  name: "tools",
  summary: "List the tools, and who decides about their calls",
  description: `Lists the configured groups and tools, without a server. For each tool it shows whether new
conversations have it, whether its calls run at once (auto), need approval (ask-once, ask-always) or
never run (deny), and its effects (read, write, locks, exclusive).
Change groups and rules in capstan.config.json:
  {"groups": {"web": false}, "rules": [{"tool": "files.*", "execution": "ask-always"}]}`,
  options: {
    json: { type: "boolean", description: "As JSON, with descriptions and parameters" },
    config: settingOptions.config,
  },
  examples: [
    { line: "capstan tools", says: "tools that a model can call here" },
    { line: "capstan tools --json", says: "the same for a program" },
  ],
  load: async () => (await import("./tools.ts")).listTools,
};

const rulesCommand: Command = {
  name: "rules",
  summary: "Your own rules: which calls ask you, run at once, or never run",
  operands: "[list | set TOOL | remove RULE]",
  description: `Lists, changes and removes your own rules on the server that uses the data directory. If none runs, it
starts one for this command. A rule covers a tool (files.ViewFile), a group ('files.*') or all tools
('*'); --when limits it to calls with matching arguments. Its fields:
  --execution  auto: runs at once; ask-once: asks the first time; ask-always; deny: never runs
  --result     never, on-error or always: whether you see a result before the model does
  --minutes    how long a question stays open
Fields that you leave out keep their value; reset removes one. A change applies from the next call.
Your rules can be stricter than the administrator's rules in capstan.config.json, never looser. A rule
without effect is stored and marked.`,
  options: {
    execution: {
      type: "string",
      placeholder: "WORD",
      description: "auto, ask-once, ask-always, deny, or reset",
    },
    result: {
      type: "string",
      placeholder: "WORD",
      description: "never, on-error, always, or reset",
    },
    when: {
      type: "string",
      placeholder: "TEST",
      description: "Arguments: path=docs/** or JSON; see docs/reference/policy.md",
    },
    minutes: {
      type: "string",
      placeholder: "N",
      description: "How long a question stays open, or reset",
    },
    reason: {
      type: "string",
      placeholder: "WORDS",
      description: "Shown when it asks, read by the model when it denies; or reset",
    },
    json: { type: "boolean", description: "As JSON, for programs" },
    url: { type: "string", placeholder: "URL", description: "Talk to this server instead" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan rules", says: "your rules, and whether they have an effect" },
    { line: "capstan rules set 'web.*' --execution ask-always", says: "ask before every request" },
    {
      line: "capstan rules set '*' --when 'path=secrets/**' --execution deny",
      says: "never use these files",
    },
    { line: "capstan rules remove 'web.*'", says: "remove a rule" },
  ],
  load: async () => (await import("./rules.ts")).manageRules,
};

const outcomesCommand: Command = {
  name: "outcomes",
  summary: "Report the outcome of calls that a crash interrupted",
  description: `Lists the calls of all your conversations that were running when a server crashed, so that their
outcome is unknown. For each it asks: it happened, it did not happen, or run it again. Enter skips one.
If the input is a pipe, it only lists them. Set CAPSTAN_API_KEY if the server requires a key.`,
  options: {
    url: { type: "string", placeholder: "URL", description: "Talk to this server instead" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [{ line: "capstan outcomes", says: "asks about each, the oldest first" }],
  load: async () => (await import("./outcomes.ts")).answerOutcomes,
};

const doctorCommand: Command = {
  name: "doctor",
  summary: "Check what this machine lacks, and how to install it",
  description: `Looks for optional programs: a sandbox for scripts and code, Python, Bash, PowerShell, and a browser
for the project's own tests. Shows the purpose of each and the command that installs it.
Capstan starts without them.

If CAPSTAN_DATABASE_URL or CAPSTAN_REDIS_URL is set, it checks whether that PostgreSQL or Redis can be
reached, shows version and settings, and says what to do. It changes nothing there and shows no
password.`,
  options: { json: { type: "boolean", description: "As JSON" } },
  examples: [
    { line: "capstan doctor", says: "programs that are installed, and missing ones" },
    { line: "capstan doctor --json", says: "the same for a program" },
  ],
  load: async () => (await import("./doctor.ts")).runDoctor,
};

const dbCommand: Command = {
  name: "db",
  summary: "Show, prune, check, back up or shrink the stored data",
  description: `capstan db usage     shows the stored bytes of each user by kind
capstan db prune     deletes data beyond the retention in capstan.config.json, or beyond --days and
                     --megabytes; --dry-run only shows what it would delete
capstan db check     verifies each page of the database, its log, the checksum of each row and the
                     event numbers; on PostgreSQL the checksums and the stored inputs
capstan db backup    writes a consistent copy to --to FILE
capstan db vacuum    returns the space of deleted data to the disk

usage, prune --dry-run, check and backup work while a server runs; prune and vacuum require that it is
stopped. A running server prunes every hour as its settings say. Backup and vacuum are for SQLite:
use PostgreSQL's own commands for PostgreSQL. To restore a backup, stop the server, replace
capstan.db in the data directory with the copy, and delete capstan.db-wal and capstan.db-shm.`,
  operands: ["usage", "prune", "check", "backup", "vacuum"],
  options: {
    "dry-run": {
      type: "boolean",
      description: "With prune: show what it would delete, without deleting it",
    },
    days: {
      type: "string",
      placeholder: "N",
      description: "With prune: delete conversations that were not used for N days",
    },
    megabytes: {
      type: "string",
      placeholder: "N",
      description: "With prune: delete the oldest conversations of users above N MB",
    },
    to: { type: "string", placeholder: "FILE", description: "File of the backup" },
    data: settingOptions.data,
    config: settingOptions.config,
  },
  examples: [
    { line: "capstan db usage", says: "stored bytes by user and kind" },
    {
      line: "capstan db prune --days 365 --dry-run",
      says: "what a limit of one year would delete",
    },
    { line: "capstan db check", says: "exit code 0: no damage; 1: damage, listed" },
    { line: "capstan db backup --to capstan-monday.db", says: "also while the server runs" },
  ],
  load: async () => (await import("./db.ts")).manageStore,
};

const configCommand: Command = {
  name: "config",
  summary: "Show changes of the settings file, and accept them",
  operands: ["diff", "accept"],
  description: `capstan config diff      shows the changes since the settings file was accepted, and the settings that allow more
capstan config accept    shows the changes, asks, and accepts them for the next start

The first server that starts accepts the file. A change that allows nothing more is accepted
automatically. Any other change waits until a user accepts it; until then the last accepted
configuration applies, so that a command that writes files cannot loosen its own rules.`,
  options: {
    yes: { type: "boolean", description: "With accept: do not ask" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    {
      line: "capstan config diff",
      says: "exit code 0: nothing waits; 1: a change waits, and is shown",
    },
    { line: "capstan config accept", says: "then start the server again" },
  ],
  load: async () => (await import("./config.ts")).manageConfiguration,
};

/** In the order of the help. */
export const commands: readonly (Command | CommandGroup)[] = [
  serveCommand,
  chatCommand,
  pairCommand,
  toolsCommand,
  rulesCommand,
  outcomesCommand,
  scriptsCommand,
  configCommand,
  doctorCommand,
  dbCommand,
];
