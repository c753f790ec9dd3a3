// oxlint-disable no-restricted-imports -- a database is started as the server's own tests start it
import { fileURLToPath } from "node:url";
import { findRedis } from "../packages/server/src/testing/redis-server.ts";
import { findPostgres } from "../packages/store/src/testing/postgres-server.ts";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

export const runs: Bench = {
  name: "runs",
  description:
    "Runs through the service and its store, each figure in a process of its own: whole runs, those that BullMQ hands to another node, parked ones, streamed deltas, two nodes",
  run,
};

async function* run({ repetitions = 5, signal }: BenchOptions): AsyncGenerator<Figure> {
  const times = String(repetitions);
  const hasPostgres = findPostgres().status === "found";
  yield* await measure("whole-runs.ts", ["sqlite", times], signal);
  if (hasPostgres) yield* await measure("whole-runs.ts", ["postgres", times], signal);
  if (hasPostgres && findRedis().status === "found")
    yield* await measure("queued-runs.ts", [times], signal);
  yield* await measure("parked-runs.ts", [], signal);
  yield* await measure("streamed-deltas.ts", ["0"], signal);
  yield* await measure("streamed-deltas.ts", ["5"], signal);
  if (hasPostgres) yield* await measure("two-nodes.ts", [times], signal);
}

async function measure(
  script: string,
  given: readonly string[],
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const path = fileURLToPath(new URL(`runs/${script}`, import.meta.url));
  const { code, output, stdout } = await runCommand(
    process.execPath,
    ["--expose-gc", path, ...given],
    { env: withSourceCondition(), signal },
  );
  if (code !== 0)
    throw new Error(
      `${script} ${given.join(" ")} of the bench of runs ended with code ${code}:\n${output}`,
    );
  return JSON.parse(stdout) as readonly Figure[];
}
