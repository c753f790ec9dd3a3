import type { RunStatus } from "@capstan/contract";
import { isClosing, transition } from "../../records/run-status.ts";
import type { Script } from "../../sql/script.ts";
import { closeApprovals } from "./decide-approval.ts";
import { noteRun } from "../state/note-run.ts";
import type { RunState } from "../state/run-states.ts";
import { foldOpenItems } from "../rows/write-events.ts";
import { foldVariables } from "../rows/write-variables.ts";
import type { WriteContext } from "../state/write-context.ts";

/** The result of changing a status. */
export type StatusChange =
  | { readonly status: "changed"; readonly run: RunState }
  | { readonly status: "refused"; readonly reason: string };

/** Changes the status of a run. If the run ends, applies all consequences in the same commit. */
export function* changeStatus(
  context: WriteContext,
  run: RunState,
  to: RunStatus,
  at: number,
): Script<StatusChange> {
  if (run.status === to) return { status: "changed", run };
  const allowed = transition(run.status, to);
  if (allowed.status === "refused") return allowed;
  let next: RunState = { ...(yield* foldOpenItems(context, run, at)), status: to };
  const ends = isClosing(to);
  if (ends) next = yield* closeRun(context, next, at);
  const { manifest, n } = next;
  // The clock can have been set back, or the time can be from another node.
  const ended = { updated_at: at, ended_at: ends ? Math.max(at, run.createdAt) : null };
  context.changes.update("runs", { n }, { status: to, ...ended, manifest });
  context.runs.set(next);
  noteRun(context, next);
  return { status: "changed", run: next };
}

/**
 * Applies the consequences of a run's end, whatever its final status. The caller writes the run's
 * own row.
 */
export function* closeRun(context: WriteContext, run: RunState, at: number): Script<RunState> {
  // A completed run can pass its approval requests to the run that continues it.
  if (run.status !== "completed")
    closeApprovals(context, run.n, run.status === "expired" ? "expired" : "cancelled", at);
  return yield* foldVariables(context, run);
}
