import { fileURLToPath } from "node:url";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

const measureScript = fileURLToPath(new URL("scripts/measure.ts", import.meta.url));

/** What is measured in a process of its own, so that none weighs on another. */
const parts = [
  { name: "calls", repetitions: 200 },
  { name: "reading", repetitions: 7 },
];

export const scripts: Bench = {
  name: "scripts",
  description:
    "A call of a Python function in a warm worker and in a fresh one, and what the sandbox costs; 100 files read, and one changed",
  run,
};

async function* run({ repetitions, signal }: BenchOptions): AsyncGenerator<Figure> {
  for (const part of parts)
    yield* await measure(part.name, repetitions ?? part.repetitions, signal);
}

async function measure(
  part: string,
  repetitions: number,
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const args = [measureScript, part, String(repetitions)];
  const { code, output, stdout } = await runCommand(process.execPath, args, {
    env: withSourceCondition(),
    signal,
  });
  if (code !== 0)
    throw new Error(`The scripts bench of ${part} ended with code ${code}:\n${output}`);
  return JSON.parse(stdout) as readonly Figure[];
}
