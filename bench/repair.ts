import type { Bench, BenchOptions } from "./bench.ts";
import { countedFigure, type Figure } from "./figure.ts";
import { corpus } from "./repair/corpus.ts";
import { corruptions } from "./repair/corruptions.ts";
import { type Acceptor, isSame, subjects } from "./repair/subjects.ts";
import { countTable } from "./report.ts";

export const repair: Bench = {
  name: "repair",
  description:
    "Valid calls, corrupted in one way at a time so that they no longer fit their schema: how many are accepted, and how many are restored exactly",
  run,
  table: countTable,
  peers: true,
};

async function run({ signal }: BenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const corruption of corruptions) {
    const counts = new Map(
      Object.keys(subjects).map((name) => [name, { accepted: 0, restored: 0 }]),
    );
    let corrupted = 0;
    for (const { schema, calls, optional } of corpus) {
      signal.throwIfAborted();
      const acceptors = Object.entries(subjects).map(
        ([name, subject]) => [name, subject(schema)] as const,
      );
      const strict = subjects["ajv"]?.(schema) as Acceptor;
      for (const call of calls) {
        for (const text of corruption.apply(call, optional)) {
          // No library can recognize a corrupted call that still fits its schema.
          if ((await strict(text)) !== undefined) continue;
          corrupted += 1;
          for (const [name, accept] of acceptors) {
            const given = await accept(text);
            const count = counts.get(name);
            if (count === undefined || given === undefined) continue;
            count.accepted += 1;
            if (isSame(given, call)) count.restored += 1;
          }
        }
      }
    }
    for (const what of ["accepted", "restored"] as const) {
      for (const [subject, count] of counts) {
        const label = { case: `${corruption.name}: ${what}`, subject, unit: "%" };
        figures.push(countedFigure(label, (count[what] / corrupted) * 100));
      }
    }
  }
  return figures;
}
