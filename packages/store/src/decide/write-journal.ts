import type { Grant } from "@capstan/core";
import { isClosing } from "../records/run-status.ts";
import type { EncodedJournal } from "../encode/encoded-journal.ts";
import type { Script } from "../sql/script.ts";
import { suspendOrQueue } from "./runs/suspend-resume.ts";
import { changeStatus } from "./runs/change-status.ts";
import { applyEffects } from "./journal-effects.ts";
import type { RunState } from "./state/run-states.ts";
import { fenced, writableRun } from "./rows/writable-run.ts";
import type { Journaled } from "../records/write-results.ts";
import { foldOpenItems, writeRows } from "./rows/write-events.ts";
import { insertGrant } from "./permissions/write-grants.ts";
import { writeChanges } from "./rows/write-variables.ts";
import type { WriteContext } from "./state/write-context.ts";

export function* writeJournal(
  context: WriteContext,
  journal: EncodedJournal,
  at: number,
): Script<Journaled> {
  let run = writableRun(context, journal);
  if (run.status === "fenced") return run;
  const seqBefore = run.lastSeq;
  const firstTail = context.nextTail;
  run = yield* writeRows(context, run, journal, at);
  const ends = journal.status !== undefined && isClosing(journal.status);
  run = yield* writeChanges(context, run, journal.changes, ends);
  if (journal.result !== undefined)
    context.changes.insert("run_results", {
      run_n: run.n,
      owner: run.owner,
      result: journal.result,
      replay: journal.replay ?? null,
    });
  if (journal.grants !== undefined) insertGrants(context, run, journal.grants);
  if (journal.effects !== undefined) applyEffects(context, run, journal.effects, at);
  // Only what is in progress may have deltas in the tail.
  if (run.status !== "in_progress") run = yield* foldOpenItems(context, run, at);
  context.runs.set(run);
  if (journal.status !== undefined) {
    const changed = yield* changeStatus(context, run, journal.status, at);
    if (changed.status === "refused") return fenced(changed.reason);
    run = yield* suspendOrQueue(context, changed.run, at);
  }
  return { status: "committed", seqBefore, firstTail, runStatus: run.status };
}

function insertGrants(context: WriteContext, run: RunState, grants: string): void {
  for (const grant of JSON.parse(grants) as readonly Grant[])
    insertGrant(context, run.owner, grant.scope === "session" ? run.sessionId : null, grant);
}
