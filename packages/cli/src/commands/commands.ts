import type { Command, CommandGroup } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";
import { scriptsCommand } from "./scripts/scripts.ts";

/*
 * The commands and their help, as data. The code of a command is loaded when it runs.
 */

const serveCommand: Command = {
  name: "serve",
  summary: "Start the server, and the web page with it",
  description: `Serves the page and the API at one address until it is stopped. A model of a provider answers
where its key is in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY,
or CAPSTAN_MODEL_URL for any OpenAI-compatible server); else the offline model does.
A flag wins over the environment variable in brackets, and that over capstan.config.json.
Other machines are let in with --host and keys: CAPSTAN_API_KEYS="name:key,name:key".
A settings file that allows more than the one that was accepted last is shown and asked about; without
a terminal the accepted one applies (capstan config).
Several servers share a PostgreSQL database, CAPSTAN_DATABASE_URL, and a queue, CAPSTAN_REDIS_URL.`,
  options: {
    ...settingOptions,
    "accept-config": {
      type: "boolean",
      description: "Accept a changed settings file without asking",
    },
  },
  examples: [
    { line: "capstan serve", says: "then open http://127.0.0.1:8787" },
    { line: "capstan serve --port 9000 --data ~/capstan", says: "another port, another place" },
    { line: "capstan serve --model openai/gpt-5.5", says: "the model where nobody chose" },
  ],
  load: async () => (await import("./serve.ts")).serve,
};

const chatCommand: Command = {
  name: "chat",
  summary: "Talk in the terminal, with approvals",
  description: `Talks to the server that holds the data directory, so that the page shows the same conversation;
where none runs, it starts one of its own until you leave. A call that needs your word is asked
about in place. With a pipe as input each line is a message, answers go to standard output and all
else to standard error; calls that ask are then refused, unless --yes allows them.
A server that wants a key gets CAPSTAN_API_KEY.`,
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
    continue: { type: "boolean", description: "Go on with the newest conversation" },
    conversation: {
      type: "string",
      placeholder: "ID",
      description: "Go on with this conversation",
    },
    yes: {
      type: "boolean",
      description: "Allow every call that asks, once each; rules still hold",
    },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan chat", says: "try: what can you do?" },
    { line: "capstan chat --continue", says: "where you left off" },
    { line: 'echo "/DateTime {}" | capstan chat', says: "one message, from a script" },
    { line: "capstan chat --url http://127.0.0.1:9000", says: "a server elsewhere" },
  ],
  load: async () => (await import("./chat.ts")).openChat,
};

const pairCommand: Command = {
  name: "pair",
  summary: "Pair a browser, so that it may approve calls; list and end such sessions",
  description: `Prints a link for the server that holds the data directory. The browser that opens it, once and
within 10 minutes, may ask, approve and administer until it is not used for 90 days. It is needed where
approvals.from in capstan.config.json is "people", which is the default with keys; capstan serve
prints such a link as well. Terminals of the user who runs the server need none.
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
  description: `Lists what the configuration offers, without a server: each group and tool, whether a new
conversation has it on, whether its calls run at once (auto), ask a person (ask-once, ask-always) or
never run (deny), and what it does to the world (read, write, locks, exclusive). Switches and rules
are changed in capstan.config.json:
  {"groups": {"web": false}, "rules": [{"tool": "files.*", "execution": "ask-always"}]}`,
  options: {
    json: { type: "boolean", description: "As JSON, with descriptions and parameters" },
    config: settingOptions.config,
  },
  examples: [
    { line: "capstan tools", says: "what a model can call here" },
    { line: "capstan tools --json", says: "the same for a program" },
  ],
  load: async () => (await import("./tools.ts")).listTools,
};

const rulesCommand: Command = {
  name: "rules",
  summary: "Your own rules: which calls ask you, run at once, or never run",
  operands: "[list | set TOOL | remove RULE]",
  description: `Lists, changes and removes your own rules, at the server that holds the data directory; where none
runs, one is started for the moment. A rule is about a tool (files.ViewFile), a group ('files.*') or
all ('*'), with --when for calls with such arguments only. It may say
  --execution  auto: runs at once; ask-once: asks the first time; ask-always; deny: never runs
  --result     never, on-error or always: whether you see a result before the model does
  --minutes    how long a question stays open
What you leave out stays as it was, and reset takes it back. A change counts from the next call on.
You can be stricter than the administrator's rules in capstan.config.json, never looser: a wish
that comes to nothing is kept, and marked.`,
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
    { line: "capstan rules", says: "those you have, and whether they have an effect" },
    { line: "capstan rules set 'web.*' --execution ask-always", says: "ask before every request" },
    {
      line: "capstan rules set '*' --when 'path=secrets/**' --execution deny",
      says: "some files never",
    },
    { line: "capstan rules remove 'web.*'", says: "as it was before" },
  ],
  load: async () => (await import("./rules.ts")).manageRules,
};

const outcomesCommand: Command = {
  name: "outcomes",
  summary: "Say what became of calls of which nobody knows whether they happened",
  description: `Finds, in all your conversations, the calls that had begun when a server ended and may or may not
have happened, and asks about each: it happened, it did not, run it again; Enter leaves one for
later. With a pipe as input it only lists them. A server that wants a key gets CAPSTAN_API_KEY.`,
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
  summary: "Say what is missing on this machine, and how to install it",
  description: `Looks for what Capstan can use: a sandbox for scripts and code, Python, Bash, PowerShell, a browser
for the project's own tests. Says what each is for, and the exact command that installs it. Nothing
of it is needed to start.

Where CAPSTAN_DATABASE_URL or CAPSTAN_REDIS_URL is set, it says whether that PostgreSQL and that Redis
can be reached, their versions and settings, and what to do; it changes nothing there, and shows no
password.`,
  options: { json: { type: "boolean", description: "As JSON" } },
  examples: [
    { line: "capstan doctor", says: "what is here and what is not" },
    { line: "capstan doctor --json", says: "the same for a program" },
  ],
  load: async () => (await import("./doctor.ts")).runDoctor,
};

const dbCommand: Command = {
  name: "db",
  summary: "See what is kept, delete what is old, check, back up or shrink it",
  description: `capstan db usage     how much each user's conversations take, and by what
capstan db prune     deletes what retention in capstan.config.json asks for, or --days and --megabytes;
                     with --dry-run it only says what that would be
capstan db check     looks at every page of the database, at its log, at the checksum of each row, and at the
                     numbers of its events; on PostgreSQL at the checksums and the stored inputs
capstan db backup    writes a whole copy, as of one moment, to --to FILE
capstan db vacuum    gives back the room of what was deleted

A server may go on during usage, prune --dry-run, check and backup. Where one goes on, it prunes by
itself every hour, as its settings say; prune and vacuum need it stopped. Backup and vacuum are
for SQLite: PostgreSQL has its own. To go back to a backup, stop the server, and put the copy in the
place of capstan.db in the data directory, without its -wal and -shm.`,
  operands: ["usage", "prune", "check", "backup", "vacuum"],
  options: {
    "dry-run": {
      type: "boolean",
      description: "With prune: say what would go, and change nothing",
    },
    days: {
      type: "string",
      placeholder: "N",
      description: "With prune: what nobody touched for so many days goes",
    },
    megabytes: {
      type: "string",
      placeholder: "N",
      description: "With prune: of who has more, the oldest goes",
    },
    to: { type: "string", placeholder: "FILE", description: "Where the backup goes" },
    data: settingOptions.data,
    config: settingOptions.config,
  },
  examples: [
    { line: "capstan db usage", says: "what takes how much" },
    { line: "capstan db prune --days 365 --dry-run", says: "what a year's limit would delete" },
    { line: "capstan db check", says: "exit code 0: sound; 1: what is wrong is said" },
    { line: "capstan db backup --to capstan-monday.db", says: "while the server goes on" },
  ],
  load: async () => (await import("./db.ts")).manageStore,
};

const configCommand: Command = {
  name: "config",
  summary: "See what changed in the settings file, and accept it",
  operands: ["diff", "accept"],
  description: `capstan config diff      shows what changed since the settings file was accepted, and which settings allow more
capstan config accept    shows it, asks, and accepts it for the next start

The first server that starts accepts the file as it is. A change that allows nothing more needs nobody;
any other waits until a user accepts it, and the last accepted configuration applies meanwhile: a
command that may write files must not change the rules that it runs under.`,
  options: {
    yes: { type: "boolean", description: "With accept: do not ask" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan config diff", says: "exit code 0: nothing waits; 1: what waits is shown" },
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
