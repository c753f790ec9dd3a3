import type { JournalAct } from "../encoding/encoded-journal.ts";
import { idKey } from "../id-key.ts";
import type { RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/**
 * Has a call found by its id, or by its owner, among all runs. What it is the run's journal says:
 * this is an index, and a row in it does no harm.
 */
export function addAnswerable(
  { changes }: Writing,
  run: RunState,
  { callId, by }: Extract<JournalAct, { type: "answerable" }>,
): void {
  changes.insert("answerable_calls", {
    run_n: run.n,
    call_id: idKey(callId),
    answered_by: by,
    owner: run.owner,
  });
}
