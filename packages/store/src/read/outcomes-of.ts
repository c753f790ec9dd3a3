import type { Script } from "../sql/script.ts";
import { lacksOutcome } from "../encode/lacks-outcome.ts";
import { readableCallsOf } from "./read-journal.ts";

/**
 * Whether a run has a call of which nobody knows, or has said yet, whether it happened;
 * `unreadable` where its calls are damaged, so that nobody can tell.
 */
export function* outcomesOf(run: {
  readonly n: number;
  readonly id: string;
}): Script<"known" | "unknown" | "unreadable"> {
  const calls = yield* readableCallsOf(run);
  if (calls === undefined) return "unreadable";
  return calls.some(({ call }) => lacksOutcome(call)) ? "unknown" : "known";
}
