import type { Bench } from "./bench.ts";
import { measureByTurns } from "./part.ts";

export const gate: Bench = {
  name: "gate",
  description:
    "The gate's cost on top of a bare function call, the cost of 10,000 variables, and 1,000 streaming calls at once",
  run: ({ repetitions = 15, signal }) =>
    measureByTurns(
      [
        { script: "gate/measure.ts", args: ["calls"], repetitions },
        { script: "gate/measure.ts", args: ["variables"], repetitions },
        { script: "gate/measure.ts", args: ["concurrent"], repetitions: Math.min(repetitions, 6) },
      ],
      { signal },
    ),
};
