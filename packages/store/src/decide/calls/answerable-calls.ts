import type { JournalAct } from "../../encode/run-commit.ts";
import { idKey } from "../../sql/id-key.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

type Answerable = Omit<Extract<JournalAct, { type: "answerable" }>, "type">;

/**
 * Has a call found by its id, or by its owner, among all runs. What it is the run's journal says:
 * this is an index, and a row in it does no harm.
 */
export function addAnswerable(
  { changes }: WriteContext,
  run: RunState,
  { callId, by }: Answerable,
): void {
  changes.insert("answerable_calls", {
    run_n: run.n,
    call_id: idKey(callId),
    answered_by: by,
    owner: run.owner,
  });
}

/** Nobody is waited for any more: who looks for open calls need not read this run. */
export function removeAnswerable(
  { changes }: WriteContext,
  runN: number,
  { callId, by }: Answerable,
): void {
  changes.remove("answerable_calls", { run_n: runN, call_id: idKey(callId), answered_by: by });
}
