// Counts what one part of the walk bench enters: node bench/walk/measure.ts PART 1
import { countedFigure, type Figure } from "../figure.ts";
import { entered } from "./entered.ts";

/** Work to measure. It is repeated before the count, so that caches are filled. */
export interface Walk {
  readonly name: string;
  readonly work: () => Promise<unknown>;
  readonly close?: () => Promise<void>;
}

const warmUps = 5;
const [part] = process.argv.slice(2);
const { open } = (await import(`./${part}.ts`)) as { readonly open: () => Promise<Walk> };
const { name, work, close } = await open();
for (let n = 0; n < warmUps; n++) await work();
const { files, functions } = await entered(work);
await close?.();
const figure = (unit: string, value: number): Figure =>
  countedFigure({ case: name, subject: "capstan", unit }, value);
process.stdout.write(JSON.stringify([figure("files", files.size), figure("functions", functions)]));
