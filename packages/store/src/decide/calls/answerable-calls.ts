import type { JournalAct } from "../../encode/run-commit.ts";
import { idKey } from "../../sql/id-key.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

type Answerable = Omit<Extract<JournalAct, { type: "answerable" }>, "type">;

/**
 * Indexes a call, so that it can be found among all runs by its id or its owner. The run's journal
 * has the call's actual state, so a leftover row is harmless.
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

/**
 * Removes a call that can no longer be answered, so that searches for open calls skip this run.
 */
export function removeAnswerable(
  { changes }: WriteContext,
  runN: number,
  { callId, by }: Answerable,
): void {
  changes.remove("answerable_calls", { run_n: runN, call_id: idKey(callId), answered_by: by });
}
