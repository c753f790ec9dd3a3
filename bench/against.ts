import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/command.ts";
import { best, type Figure } from "./figure.ts";
import { measurePart, type Part } from "./part.ts";
import { readable } from "./report.ts";
import { wholeRuns } from "./runs.ts";

/** The smallest accepted share of the other checkout's throughput. */
const minRatio = 0.7;
const work = "32 runs at once";
const unit = "runs/s";

export interface CompareOptions {
  /** Root of the other checkout; its packages must be installed. */
  readonly against: string;
  /** The number of turns of each checkout. @default 5 */
  readonly repetitions?: number;
  readonly signal: AbortSignal;
}

/**
 * Measures whole runs of this checkout and another one alternately, each with its own bench.
 *
 * @returns a table with one row per store: the best runs/s of both checkouts, and their ratio
 * @throws Error if the other folder is not an installed checkout
 */
export async function compareWith(options: CompareOptions): Promise<string[][]> {
  const { against, repetitions = 5, signal } = options;
  if (!existsSync(join(against, "node_modules")) || !existsSync(join(against, "bench")))
    throw new Error(
      `Cannot compare with ${against}: it must be a checkout of Capstan. Run "npm ci" in it first.`,
    );
  const here = new Map<string, number[]>();
  const there = new Map<string, number[]>();
  const sides = [
    { checkout: root, rates: here },
    { checkout: against, rates: there },
  ];
  for (let turn = 0; turn < repetitions; turn++) {
    for (const part of wholeRuns(1))
      for (const { checkout, rates } of sides) {
        const { subject, rate } = await throughput(part, checkout, signal);
        rates.set(subject, [...(rates.get(subject) ?? []), rate]);
      }
    // Alternates the order, so that neither checkout is always first.
    sides.reverse();
  }
  const rows = [...here].map(([subject, rates]) => {
    const bests = [best(rates, unit), best(there.get(subject) ?? [], unit)] as const;
    const ratio = bests[0] / bests[1];
    const result = ratio >= minRatio ? "met" : "MISSED";
    const cells = [...bests, ratio].map(readable);
    return [`${work}: ${subject}, ${unit}`, ...cells, `at least ${minRatio}`, result];
  });
  return [["work", "best here", "best there", "ratio", "limit", "result"], ...rows];
}

/** A figure as any checkout prints it: older checkouts report only a median, as `value`. */
type AnyFigure = Pick<Figure, "case" | "subject"> & {
  readonly best?: number;
  readonly value?: number;
};

async function throughput(part: Part, checkout: string, signal: AbortSignal) {
  // With a single repetition in each process, an older checkout's median is also a best value.
  const figures: readonly AnyFigure[] = await measurePart(part, { signal, checkout });
  const figure = figures.find((candidate) => candidate.case === work);
  const rate = figure?.best ?? figure?.value;
  if (figure === undefined || rate === undefined)
    throw new Error(`bench/${part.script} in ${checkout} did not report "${work}".`);
  return { subject: figure.subject, rate };
}
