// Measures one part of the gate bench: node --expose-gc bench/gate/measure.ts PART REPETITIONS
import type { Figure } from "../figure.ts";

const [part, repetitions] = process.argv.slice(2);
const { figures } = (await import(`./${part}.ts`)) as {
  readonly figures: (repetitions: number) => Promise<readonly Figure[]>;
};
process.stdout.write(JSON.stringify(await figures(Number(repetitions))));
