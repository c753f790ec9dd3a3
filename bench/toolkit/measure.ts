// Measures one part of the toolkit bench: node bench/toolkit/measure.ts PART REPETITIONS
import type { Figure } from "../figure.ts";

const [part, repetitions] = process.argv.slice(2);
const { figures } = (await import(`./${part}.ts`)) as {
  readonly figures: (repetitions: number) => Promise<readonly Figure[]>;
};
process.stdout.write(JSON.stringify(await figures(Number(repetitions))));
