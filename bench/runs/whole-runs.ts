// Measures whole runs on one store in a process of its own: node bench/runs/whole-runs.ts STORE REPETITIONS
import { postgresStore, sqliteStore } from "./bench-store.ts";
import { measureRuns } from "./measure-runs.ts";
import { scriptedRuns, stepsARun } from "./scripted-run.ts";

const [subject = "sqlite", repetitions = "5"] = process.argv.slice(2);

const bench = subject === "sqlite" ? await sqliteStore() : await postgresStore();
const { runs, many } = scriptedRuns(bench.store);
const measured = await measureRuns({
  subject,
  repetitions: Number(repetitions),
  many,
  ...(bench.processorMs && { databaseMs: bench.processorMs }),
});
await runs.close(0);
await bench.close();

const steps = measured
  .filter((figure) => figure.case === "one run alone")
  .map((figure) => ({
    ...figure,
    case: "one step of a run alone",
    best: figure.best / stepsARun,
    median: figure.median / stepsARun,
  }));
process.stdout.write(JSON.stringify([...measured, ...steps]));
