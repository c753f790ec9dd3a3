import { fileURLToPath } from "node:url";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

const measureScript = fileURLToPath(new URL("gate/measure.ts", import.meta.url));

/** What is measured in a process of its own, so that none weighs on another. */
const parts = ["calls", "variables", "concurrent"];

export const gate: Bench = {
  name: "gate",
  description:
    "What the gate adds to a bare function call, what 10,000 variables cost, and 1,000 streaming calls at once",
  run,
};

async function* run({ repetitions = 15, signal }: BenchOptions): AsyncGenerator<Figure> {
  for (const part of parts) yield* await measure(part, repetitions, signal);
}

async function measure(
  part: string,
  repetitions: number,
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const args = ["--expose-gc", measureScript, part, String(repetitions)];
  const { code, output, stdout } = await runCommand(process.execPath, args, {
    env: withSourceCondition(),
    signal,
  });
  if (code !== 0) throw new Error(`The gate bench of ${part} ended with code ${code}:\n${output}`);
  return JSON.parse(stdout) as readonly Figure[];
}
