import type { Bench } from "./bench.ts";
import { measureByTurns } from "./part.ts";

export const walk: Bench = {
  name: "walk",
  description: "How many files and functions of Capstan one call and one response enter",
  run: ({ signal }) =>
    measureByTurns(
      [
        { script: "walk/measure.ts", args: ["direct-call"], repetitions: 1 },
        { script: "walk/measure.ts", args: ["response"], repetitions: 1 },
      ],
      { signal },
    ),
};
