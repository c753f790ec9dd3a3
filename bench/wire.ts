import type { Bench } from "./bench.ts";
import { measureByTurns } from "./part.ts";

export const wire: Bench = {
  name: "wire",
  description:
    "The time that the server adds between a client and a model, next to a bare reverse proxy",
  run: ({ repetitions = 6, signal }) =>
    measureByTurns([{ script: "wire/measure.ts", repetitions }], { signal }),
};
