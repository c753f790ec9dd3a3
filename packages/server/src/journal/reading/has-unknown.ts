import type { Script } from "../script.ts";
import { lacksOutcome } from "../writing/lacks-outcome.ts";
import { callsOf } from "./read-journal.ts";

/** Whether a run has a call of which nobody knows, or has said yet, whether it happened. */
export function* hasUnknown(run: { readonly n: number; readonly id: string }): Script<boolean> {
  const calls = yield* callsOf(run);
  return calls.some(({ call }) => lacksOutcome(call));
}
