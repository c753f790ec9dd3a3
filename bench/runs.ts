import { findPostgres } from "@capstan/store/testing";
import type { Bench, BenchOptions } from "./bench.ts";
import type { Figure } from "./figure.ts";
import { measureByTurns, type Part } from "./part.ts";
import { findRedis } from "@capstan/server/testing";

export const runs: Bench = {
  name: "runs",
  description:
    "Runs through the service and its store: whole runs, runs that BullMQ hands to another node, suspended runs, streamed deltas, two nodes",
  run,
};

function run({ repetitions, signal }: BenchOptions): Promise<readonly Figure[]> {
  const hasPostgres = findPostgres().status === "found";
  const deltas = { script: "runs/streamed-deltas.ts", repetitions: repetitions ?? 3 };
  const parts: readonly Part[] = [
    ...wholeRuns(repetitions ?? 6),
    { script: "runs/suspended-runs.ts", repetitions: 1 },
    { ...deltas, args: ["0"] },
    { ...deltas, args: ["5"] },
    ...(hasPostgres ? [{ script: "runs/two-nodes.ts", repetitions: repetitions ?? 6 }] : []),
  ];
  return measureByTurns(parts, { signal });
}

/** Returns the parts that measure whole runs, for each store whose database is installed. */
export function wholeRuns(repetitions: number): readonly Part[] {
  const script = "runs/whole-runs.ts";
  const parts: Part[] = [{ script, args: ["sqlite"], repetitions }];
  if (findPostgres().status !== "found") return parts;
  parts.push({ script, args: ["postgres"], repetitions });
  if (findRedis().status === "found") parts.push({ script: "runs/queued-runs.ts", repetitions });
  return parts;
}
