// Measures what parked runs hold in memory: node --expose-gc bench/runs/parked-runs.ts
import type { Figure } from "../figure.ts";
import { sqliteStore } from "./bench-store.ts";
import { scriptedRuns } from "./scripted-run.ts";

/** More than a server keeps at hand of the runs that stopped last, so that this is full from the beginning. */
const before = 600;
const { gc } = globalThis;
if (gc === undefined)
  throw new Error("Run it with --expose-gc: memory is measured after a collection.");

const bench = await sqliteStore();
const { runs, many, park } = scriptedRuns(bench.store);
const figures: Figure[] = [];
await many(before, 32);
let parked = 0;
for (const count of [10, 10_000]) {
  await many(count - parked, 32, park);
  parked = count;
  // What was put off until now is not of the parked runs.
  for (let n = 0; n < 3; n++) {
    await new Promise(setImmediate);
    gc();
  }
  const value = process.memoryUsage().heapUsed / 1e6;
  figures.push({
    case: `${count.toLocaleString("en")} parked runs`,
    subject: "sqlite",
    value,
    unit: "MB of heap",
  });
}
await runs.close(0);
await bench.close();
process.stdout.write(JSON.stringify(figures));
