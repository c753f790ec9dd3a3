// Measures whole runs on one store in a process of its own: node bench/runs/whole-runs.ts STORE REPETITIONS
import { type Figure, median } from "../figure.ts";
import { postgresStore, sqliteStore } from "./bench-store.ts";
import { scriptedRuns, stepsARun } from "./scripted-run.ts";

const [subject = "sqlite", repetitions = "5"] = process.argv.slice(2);
const count = 200;

const bench = subject === "sqlite" ? await sqliteStore() : await postgresStore();
const { runs, many } = scriptedRuns(bench.store);
await many(2 * count, 32);
const together: number[] = [];
const alone: number[] = [];
/** Ms a run, of this process in all its threads, and of the database's own. */
const processor: number[] = [];
const database: number[] = [];
for (let n = 0; n < Number(repetitions); n++) {
  const before = process.cpuUsage();
  const databaseBefore = await bench.processorMs();
  together.push((count * 1_000) / (await many(count, 32)));
  const { user, system } = process.cpuUsage(before);
  processor.push((user + system) / 1_000 / count);
  database.push(((await bench.processorMs()) - databaseBefore) / count);
  alone.push((await many(20, 1)) / 20);
}
await runs.close(0);
await bench.close();

const figures: readonly Figure[] = [
  { case: "32 runs at once", subject, value: median(together), unit: "runs/s" },
  { case: "processor a run", subject, value: median(processor), unit: "ms" },
  ...(subject === "sqlite"
    ? []
    : [{ case: "processor a run, the database's", subject, value: median(database), unit: "ms" }]),
  { case: "a run alone", subject, value: median(alone), unit: "ms" },
  { case: "a step of a run alone", subject, value: median(alone) / stepsARun, unit: "ms" },
];
process.stdout.write(JSON.stringify(figures));
