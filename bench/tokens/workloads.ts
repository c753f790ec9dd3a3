import { fanOut } from "./fan-out.ts";
import { longPages } from "./long-pages.ts";
import { roundTripEdit } from "./round-trip-edit.ts";
import { shortResults } from "./short-results.ts";
import type { Workload } from "./workload.ts";

export const workloads: readonly Workload[] = [longPages, roundTripEdit, fanOut, shortResults];
