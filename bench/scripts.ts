import type { Bench } from "./bench.ts";
import { measureByTurns } from "./part.ts";

export const scripts: Bench = {
  name: "scripts",
  description:
    "A call of a Python function in a warm worker and in a fresh process, the cost of the sandbox, and reading 100 files",
  run: ({ repetitions, signal }) =>
    measureByTurns(
      [
        { script: "scripts/measure.ts", args: ["calls"], repetitions: repetitions ?? 210 },
        { script: "scripts/measure.ts", args: ["reading"], repetitions: repetitions ?? 6 },
      ],
      { signal },
    ),
};
