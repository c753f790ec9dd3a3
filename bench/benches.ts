import type { Bench } from "./figure.ts";
import { gate } from "./gate.ts";
import { loop } from "./loop.ts";
import { repair } from "./repair.ts";
import { runs } from "./runs.ts";
import { scripts } from "./scripts.ts";
import { tokens } from "./tokens.ts";

/** What `npm run bench` measures, in the order in which docs/benchmarks.md has it. */
export const benches: readonly Bench[] = [loop, gate, repair, scripts, runs, tokens];
