// oxlint-disable no-restricted-imports -- a service and a database are started as the server's own tests start them
import { fileURLToPath } from "node:url";
import { findRedis } from "../packages/server/src/dispatch/testing/redis-server.ts";
import { findPostgres } from "../packages/server/src/journal/testing/postgres-server.ts";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

const measureScript = fileURLToPath(new URL("runs/measure.ts", import.meta.url));

export const runs: Bench = {
  name: "runs",
  description:
    "Whole runs through the service and its store: 5 rounds of 3 calls, a question to a person that parks them, an answer; SQLite with every commit on the disk, PostgreSQL without waiting for it, and the same with every run through BullMQ to another node",
  run,
};

async function* run({ repetitions = 5, signal }: BenchOptions): AsyncGenerator<Figure> {
  yield* await measure("sqlite", repetitions, signal);
  if (findPostgres().status !== "found") return;
  yield* await measure("postgres", repetitions, signal);
  if (findRedis().status === "found") yield* await measure("queue", repetitions, signal);
}

async function measure(
  store: string,
  repetitions: number,
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const { code, output, stdout } = await runCommand(
    process.execPath,
    [measureScript, store, String(repetitions)],
    { env: withSourceCondition(), signal },
  );
  if (code !== 0)
    throw new Error(`The bench of runs on ${store} ended with code ${code}:\n${output}`);
  return JSON.parse(stdout) as readonly Figure[];
}
