import type { Command } from "../command-line/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";

const wishes = ["check", "backup", "vacuum"] as const;

export const dbCommand: Command = {
  name: "db",
  summary: "Check, back up or shrink what is kept",
  description: `capstan db check     looks at every page of the database, and at the numbers of its events
capstan db backup    writes a whole copy, as of one moment, to --to FILE
capstan db vacuum    gives back the room of what was deleted

A server may go on during check and backup; vacuum needs it stopped. To go back to a backup, stop the
server, and put the copy in the place of capstan.db in the data directory, without its -wal and -shm.`,
  operands: wishes,
  options: {
    to: { type: "string", placeholder: "FILE", description: "Where the backup goes" },
    data: settingOptions.data,
    config: settingOptions.config,
  },
  examples: [
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
    const [{ readConfiguration }, { tendStore }] = await Promise.all([
      import("./read-configuration.ts"),
      import("./tend-store.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const { to } = values;
    const { dataDir } = configuration;
    return tendStore({ wish, dataDir, ...(typeof to === "string" && { to }) });
  },
};
