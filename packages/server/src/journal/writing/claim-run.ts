import { transition } from "../../run/run-status.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

type ClaimRun = Extract<StoreWrite, { type: "claim-run" }>;

export function claimRun(writing: Writing, write: ClaimRun, at: number): OutcomeOf<ClaimRun> {
  const run = writing.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  const taken = transition(run.status, "in_progress");
  if (taken.status === "refused")
    return { status: "refused", reason: `${run.id}: ${taken.reason}` };
  if (write.epoch !== undefined && write.epoch !== run.epoch) {
    const reason = `Run ${run.id} was claimed by another: its epoch is ${run.epoch}, not ${write.epoch}.`;
    return { status: "refused", reason };
  }
  const { epoch, lastSeq } = claim(writing, run, at);
  return { status: "claimed", epoch, previous: run.status, lastSeq };
}

/** Takes a run that may be taken, in an epoch of its own. */
export function claim(writing: Writing, run: RunState, at: number): RunState {
  const epoch = run.epoch + 1;
  writing.changes.run(
    "UPDATE runs SET status = 'in_progress', epoch = ?, answers = 0, updated_at = ?, node = ? WHERE n = ?",
    epoch,
    at,
    writing.node,
    run.n,
  );
  // Whoever claims it reads the answers afterwards.
  const claimed: RunState = { ...run, epoch, answers: 0, status: "in_progress" };
  writing.runs.set(claimed);
  return claimed;
}
