import type { Bench } from "./bench.ts";
import { gate } from "./gate.ts";
import { gateway } from "./gateway/gateway.ts";
import { loop } from "./loop.ts";
import { repair } from "./repair.ts";
import { runs } from "./runs.ts";
import { scripts } from "./scripts.ts";
import { search } from "./search/search.ts";
import { start } from "./start.ts";
import { tokens } from "./tokens.ts";
import { toolkit } from "./toolkit/toolkit.ts";
import { walk } from "./walk.ts";
import { wire } from "./wire.ts";

/** The benches that `npm run bench` runs, in the order of docs/benchmarks.md. */
export const benches: readonly Bench[] = [
  loop,
  gate,
  repair,
  scripts,
  runs,
  start,
  wire,
  walk,
  toolkit,
  tokens,
  search,
  gateway,
];
