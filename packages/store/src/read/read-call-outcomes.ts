import type { Script } from "../sql/script.ts";
import { isOutcomeUnknown } from "../encode/call-records.ts";
import { readableCallsOf } from "./read-journal.ts";

/**
 * Whether the outcomes of all calls of a run are known. Returns `unknown` if a call's outcome is
 * unknown and no user has set it, and `unreadable` if the run's calls are corrupt.
 */
export function* readCallOutcomes(run: {
  readonly n: number;
  readonly id: string;
}): Script<"known" | "unknown" | "unreadable"> {
  const calls = yield* readableCallsOf(run);
  if (calls === undefined) return "unreadable";
  return calls.some(({ call }) => isOutcomeUnknown(call)) ? "unknown" : "known";
}
