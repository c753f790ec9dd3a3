import type { Bench } from "./bench.ts";
import { measureByTurns } from "./part.ts";

export const scripts: Bench = {
  name: "scripts",
  description:
    "A call of a Python function in a warm worker and in a fresh process, the cost of the sandbox, a call of a PowerShell function, and reading 100 files",
  run: ({ repetitions, signal }) =>
    measureByTurns(
      [
        { script: "scripts/measure.ts", args: ["calls"], repetitions: repetitions ?? 210 },
        // Each call is followed by the start of the next worker.
        { script: "scripts/measure.ts", args: ["powershell"], repetitions: repetitions ?? 6 },
        { script: "scripts/measure.ts", args: ["reading"], repetitions: repetitions ?? 6 },
      ],
      { signal },
    ),
};
