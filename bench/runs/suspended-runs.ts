// Measures the memory of suspended runs: node --expose-gc bench/runs/suspended-runs.ts
import { type Figure, measuredFigure } from "../figure.ts";
import { sqliteStore } from "./bench-store.ts";
import { scriptedRuns } from "./scripted-run.ts";

/** More runs than the server caches after their end, so that the cache is full from the beginning. */
const before = 600;

async function collect(): Promise<void> {
  await new Promise(setImmediate);
  if (globalThis.gc === undefined)
    throw new Error("Run this with --expose-gc: memory is measured after a collection.");
  globalThis.gc();
}

const bench = await sqliteStore();
const { runs, many, park } = scriptedRuns(bench.store);
const figures: Figure[] = [];
await many(before, 32);
let parked = 0;
for (const count of [10, 10_000]) {
  await many(count - parked, 32, park);
  parked = count;
  // Waits for deferred work, which is not part of the suspended runs.
  for (let n = 0; n < 3; n++) await collect();
  const values: number[] = [];
  for (let n = 0; n < 5; n++) {
    await collect();
    values.push(process.memoryUsage().heapUsed / 1e6);
  }
  const name = `${count.toLocaleString("en")} suspended runs`;
  figures.push(measuredFigure({ case: name, subject: "sqlite", unit: "MB of heap" }, values));
}
await runs.close(0);
await bench.close();
process.stdout.write(JSON.stringify(figures));
