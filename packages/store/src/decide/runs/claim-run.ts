import { transition } from "../../records/run-status.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { noteRun } from "../state/note-run.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

type ClaimRun = Extract<StoreWrite, { type: "claim-run" }>;

/** Claims a run for this process. */
export function claimRun(context: WriteContext, write: ClaimRun, at: number): OutcomeOf<ClaimRun> {
  const run = context.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  const taken = transition(run.status, "in_progress");
  if (taken.status === "refused")
    return { status: "refused", reason: `${run.id}: ${taken.reason}` };
  if (write.epoch !== undefined && write.epoch !== run.epoch) {
    const reason = `Run ${run.id} was claimed again: its epoch is ${run.epoch}, not ${write.epoch}.`;
    return { status: "refused", reason };
  }
  const { epoch, lastSeq, edits } = claim(context, run, at);
  return { status: "claimed", epoch, previous: run.status, lastSeq, edits };
}

/** Claims a claimable run in a new epoch. */
export function claim(context: WriteContext, run: RunState, at: number): RunState {
  const epoch = run.epoch + 1;
  // The process that claims the run reads the answers afterwards.
  const taken = { status: "in_progress", epoch, answers: 0 } as const;
  const { node } = context;
  context.changes.update("runs", { n: run.n }, { ...taken, updated_at: at, node });
  const claimed: RunState = { ...run, ...taken };
  context.runs.set(claimed);
  if (run.status !== "in_progress") noteRun(context, claimed);
  return claimed;
}
