import { isClosing } from "../records/run-status.ts";
import type { DeltaCommit, RunCommit } from "../encode/run-commit.ts";
import type { Script } from "../sql/script.ts";
import { suspendOrQueue } from "./runs/suspend-resume.ts";
import { changeStatus } from "./runs/change-status.ts";
import { applyAct } from "./journal-acts.ts";
import { appendDelta } from "./rows/tail-rows.ts";
import { fenced, writableRun } from "./rows/writable-run.ts";
import type { Journaled } from "../records/write-results.ts";
import { foldOpenItems, writeRows } from "./rows/write-events.ts";
import { insertGrant } from "./permissions/write-grants.ts";
import { writeChanges } from "./rows/write-variables.ts";
import type { WriteContext } from "./state/write-context.ts";

/** Writes a commit of a run's journal, or returns the reason why it is fenced. */
export function* writeCommit(
  context: WriteContext,
  commit: RunCommit,
  at: number,
): Script<Journaled> {
  let run = writableRun(context, commit);
  if (run.status === "fenced") return run;
  const seqBefore = run.lastSeq;
  const firstTail = context.nextTail;
  run = yield* writeRows(context, run, commit, at);
  const ends = commit.status !== undefined && isClosing(commit.status);
  run = yield* writeChanges(context, run, commit.variables, ends);
  if (commit.result !== undefined)
    context.changes.insert("run_results", {
      run_n: run.n,
      owner: run.owner,
      result: commit.result,
      replay: commit.replay ?? null,
    });
  if (commit.usage !== undefined && ends)
    context.changes.insert("run_usage", {
      run_n: run.n,
      owner: run.owner,
      ended_at: at,
      input_tokens: commit.usage.input,
      cached_tokens: commit.usage.cached,
      output_tokens: commit.usage.output,
    });
  for (const grant of commit.grants)
    insertGrant(context, run.owner, grant.scope === "session" ? run.sessionId : null, grant);
  for (const act of commit.acts) applyAct(context, run, { act, at });
  // Only a run in progress may have deltas in the tail.
  if (run.status !== "in_progress") run = yield* foldOpenItems(context, run, at);
  context.runs.set(run);
  if (commit.status !== undefined) {
    const changed = yield* changeStatus(context, run, commit.status, at);
    if (changed.status === "refused") return fenced(changed.reason);
    run = yield* suspendOrQueue(context, changed.run, at);
  }
  return { status: "committed", seqBefore, firstTail, runStatus: run.status };
}

/** Appends deltas to an unfinished item. */
export function* writeDeltas(
  context: WriteContext,
  write: DeltaCommit,
  at: number,
): Script<Journaled> {
  let run = writableRun(context, write);
  if (run.status === "fenced") return run;
  const { lastSeq: seqBefore, status: runStatus } = run;
  const firstTail = context.nextTail;
  const { itemId } = write;
  for (const delta of write.deltas)
    run = appendDelta(context, run, {
      n: context.nextTail++,
      seq: run.lastSeq + 1,
      itemId,
      delta,
    });
  // Only a run in progress may have deltas in the tail.
  if (runStatus !== "in_progress") run = yield* foldOpenItems(context, run, at);
  context.runs.set(run);
  return { status: "committed", seqBefore, firstTail, runStatus };
}
