import { fileURLToPath } from "node:url";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

/** Subject → its module in `loop/`. */
const subjects = {
  capstan: "capstan",
  ai: "peers/ai",
  "@openai/agents-core": "peers/openai-agents",
  langchain: "peers/langchain",
  "@mariozechner/pi-agent-core": "peers/pi-agent-core",
} as const;

const memoryScript = fileURLToPath(new URL("loop/memory.ts", import.meta.url));
const measureScript = fileURLToPath(new URL("loop/measure.ts", import.meta.url));

export const loop: Bench = {
  name: "loop",
  description:
    "The loop's own cost with a no-op tool and a scripted model: 200 rounds of one call, and 100 calls in one round",
  run,
  peers: true,
};

async function* run({ repetitions = 15, signal }: BenchOptions): AsyncGenerator<Figure> {
  for (const [subject, module] of Object.entries(subjects)) {
    const { sequential, parallel } = await measure(module, repetitions, signal);
    yield { case: "sequential round", subject, value: sequential / 200, unit: "ms" };
    yield { case: "parallel call", subject, value: (parallel * 1000) / 100, unit: "µs" };
  }
  yield* (await runScript(["--expose-gc", memoryScript], signal)) as readonly Figure[];
}

interface Times {
  /** Milliseconds of a whole run of 200 rounds. */
  readonly sequential: number;
  /** Milliseconds of a whole run of one round with 100 calls. */
  readonly parallel: number;
}

async function measure(module: string, repetitions: number, signal: AbortSignal): Promise<Times> {
  return (await runScript([measureScript, module, String(repetitions)], signal)) as Times;
}

async function runScript(args: readonly string[], signal: AbortSignal): Promise<unknown> {
  const { code, output, stdout } = await runCommand(process.execPath, [...args], {
    env: withSourceCondition(),
    signal,
  });
  if (code !== 0)
    throw new Error(`The loop bench of ${args.join(" ")} ended with code ${code}:\n${output}`);
  return JSON.parse(stdout);
}
