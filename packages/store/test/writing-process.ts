/**
 * Writes to a store until it is killed, and reports each commit. Argument: the data
 * directory.
 */
import { openStore } from "../src/sqlite/open-store.ts";
import { delta, end, event, start } from "../src/testing/store-fixtures.ts";

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("Which data directory?");
const store = await openStore({ dataDir });
await store.announce("http://127.0.0.1:1");

async function live(runId: string): Promise<void> {
  await store.write([
    {
      type: "create-run",
      run: { id: runId, owner: "local", model: "m", status: "in_progress", request: {}, input: [] },
    },
  ]);
  for (let item = 0; ; item++) {
    const id = `${runId}_${item}`;
    const steps = [
      start(id),
      ...Array.from({ length: 9 }, (_, n) => delta(id, `${n}`)),
      end(id, "012345678"),
    ];
    for (const step of [...steps, event({ type: "run.heartbeat", at: item })]) {
      const [outcome] = await store.write([{ type: "journal", runId, epoch: 1, writes: [step] }]);
      if (outcome.status !== "committed") throw new Error(outcome.status);
      // The full stop marks a complete line, because the kill can truncate a line.
      process.stdout.write(`${runId} ${outcome.lastSeq}.\n`);
    }
  }
}

await Promise.all(Array.from({ length: 8 }, (_, n) => live(`run${n}`)));
