/**
 * Writes large variables to a store until it is killed, and reports each commit. Arguments:
 * `sqlite` and the data directory, or `postgres` and the connection string.
 */
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { openStore } from "../src/sqlite/open-store.ts";
import { commit, createRun, variableOf } from "../src/testing/store-fixtures.ts";
import { largeText } from "./large-text.ts";

const [kind, place = ""] = process.argv.slice(2);
const store =
  kind === "postgres"
    ? await openPostgresStore({ connectionString: place, connections: 3 })
    : await openStore({ dataDir: place });

async function write(runId: string): Promise<void> {
  await createRun(store, { id: runId });
  for (let n = 0; ; n++) {
    const variables = [`v${n}`, "last"].map((name) => variableOf(name, largeText(runId, n)));
    await commit(
      store,
      runId,
      variables.map((variable) => ({ type: "variable", change: { type: "set", variable } })),
    );
    // The full stop marks a complete line, because the kill can truncate a line.
    process.stdout.write(`${runId} ${n}.\n`);
  }
}

await Promise.all(["one", "two", "three"].map(write));
