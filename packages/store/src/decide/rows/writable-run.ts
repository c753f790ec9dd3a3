import { isClosing } from "../../records/run-status.ts";
import type { Fenced } from "../../records/write-outcomes.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * Returns the current run if a journal can write to it, or the reason why it cannot.
 *
 * @throws Error if an earlier write of the run was lost
 */
export function writableRun(
  { runs, failedWrites }: WriteContext,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
): RunState | Fenced {
  const run = runs.get(runId);
  if (run === undefined) return fenced(`There is no run ${runId}.`);
  if (isClosing(run.status)) return fenced(`Run ${run.id} has ended: it is ${run.status}.`);
  if (run.epoch !== epoch) {
    return fenced(
      `Run ${run.id} was claimed again: its epoch is ${run.epoch}, and this was written in ${epoch}.`,
    );
  }
  failedWrites.check(runId, epoch);
  return run;
}

/** Returns the outcome of a fenced write. */
export function fenced(reason: string): Fenced {
  return { status: "fenced", reason };
}
