import type { Bench, BenchOptions } from "./bench.ts";
import { type Figure, measuredFigure } from "./figure.ts";
import type { LoopScript } from "./loop/subject.ts";
import { startSubject } from "./loop/subject-process.ts";
import { measurePart } from "./part.ts";

/** Subject → its module in `loop/`. */
const subjects = {
  capstan: "capstan",
  ai: "peers/ai",
  "@openai/agents-core": "peers/openai-agents",
  langchain: "peers/langchain",
  "@mariozechner/pi-agent-core": "peers/pi-agent-core",
} as const;

interface Work {
  readonly case: string;
  readonly unit: string;
  readonly script: LoopScript;
  /** Converts milliseconds of a whole run into the unit. */
  readonly scale: number;
}

const works: readonly Work[] = [
  { case: "sequential round", unit: "ms", script: { rounds: 200, calls: 1 }, scale: 1 / 200 },
  { case: "parallel call", unit: "µs", script: { rounds: 1, calls: 100 }, scale: 1_000 / 100 },
];

/** Repetitions continue for at least this long, so that fast subjects are as warm as slow ones. */
const warmUp = { repetitions: 3, ms: 1_000 };
/** All turns of a subject take at least this long together. */
const measuredMs = 2_000;

export const loop: Bench = {
  name: "loop",
  description:
    "The loop's own cost with a no-op tool and a scripted model: 200 rounds of one call, and 100 calls in one round",
  run,
  peers: true,
};

async function run({ repetitions = 15, signal }: BenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const work of works) figures.push(...(await measureByTurns(work, repetitions, signal)));
  const memory = { script: "loop/memory.ts", repetitions: Math.min(repetitions, 3) };
  return [...figures, ...(await measurePart(memory, { signal }))];
}

/**
 * Measures Capstan and the peers alternately. Each repeats the work once per turn, or a few times
 * if it is fast.
 */
async function measureByTurns(
  { scale, script, ...label }: Work,
  turns: number,
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const measured = Object.entries(subjects).map(([subject, module]) => ({
    subject,
    values: [] as number[],
    process: startSubject(module, signal),
  }));
  try {
    for (const { process } of measured) await process.measure({ script, ...warmUp });
    for (let turn = 0; turn < turns; turn++)
      for (const { process, values } of measured) {
        const least = { repetitions: 1, ms: measuredMs / turns };
        values.push(...(await process.measure({ script, ...least })).map((ms) => ms * scale));
      }
  } finally {
    for (const { process } of measured) process.stop();
  }
  return measured.map(({ subject, values }) => measuredFigure({ ...label, subject }, values));
}
