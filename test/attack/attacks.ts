import type { Attack } from "./attack.ts";
import { forgeries } from "./attacks/forgeries.ts";
import { fuzzer } from "./attacks/fuzzer.ts";
import { principals } from "./attacks/principals.ts";

export const attacks: readonly Attack[] = [principals, forgeries, fuzzer];
