import type { Command } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";

const wishes = ["usage", "prune", "check", "backup", "vacuum"] as const;

export const dbCommand: Command = {
  name: "db",
  summary: "See what is kept, delete what is old, check, back up or shrink it",
  description: `capstan db usage     how much each user's conversations take, and by what
capstan db prune     deletes what retention in capstan.config.json asks for, or --days and --megabytes;
                     with --dry-run it only says what that would be
capstan db check     looks at every page of the database, at its log, and at the numbers of its events
capstan db backup    writes a whole copy, as of one moment, to --to FILE
capstan db vacuum    gives back the room of what was deleted

A server may go on during usage, prune --dry-run, check and backup. Where one goes on, it prunes by
itself every hour, as its settings say; prune and vacuum need it stopped. Check, backup and vacuum are
for SQLite: PostgreSQL has its own. To go back to a backup, stop the server, and put the copy in the
place of capstan.db in the data directory, without its -wal and -shm.`,
  operands: wishes,
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
  async run({ values, positionals: [given] }) {
    const wish = wishes.find((known) => known === given);
    if (wish === undefined) {
      process.stderr.write(
        `db needs one of ${wishes.join(", ")}. \`capstan db --help\` shows what there is.\n`,
      );
      return 2;
    }
    const [{ readConfiguration }, { maintainStore }, { manageDiskUsage }] = await Promise.all([
      import("./shared/read-configuration.ts"),
      import("./maintain-store.ts"),
      import("./disk-usage.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const { to, days, megabytes } = values;
    const { dataDir, databaseUrl, retention } = configuration;
    if (wish === "usage" || wish === "prune") {
      return manageDiskUsage({
        wish,
        place: { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) },
        retention,
        isDryRun: values["dry-run"] === true,
        ...(typeof days === "string" && { days }),
        ...(typeof megabytes === "string" && { megabytes }),
      });
    }
    return maintainStore({ wish, dataDir, ...(typeof to === "string" && { to }) });
  },
};
