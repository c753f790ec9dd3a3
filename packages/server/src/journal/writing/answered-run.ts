import type { ChainResultRecord } from "@capstan/core";
import { idKey } from "../id-key.ts";
import type { RunRef } from "../records.ts";
import { all, first, type Script } from "../script.ts";
import { changeStatus } from "./change-status.ts";
import type { RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/**
 * A run was answered, in this commit. Where it waits, and can go on now, it is queued: whatever
 * becomes of who answered, somebody takes it up. Where it goes on, this is kept in mind until it parks.
 *
 * @param question which of its questions, where it was one
 * @returns the run, where it is queued now
 */
export function* runAnswered(
  writing: Writing,
  runId: string,
  { at, question }: { readonly at: number; readonly question?: string },
): Script<{ readonly ready?: RunRef }> {
  const run = writing.runs.get(runId);
  if (run?.status === "requires_action") {
    const { id, owner, epoch } = run;
    const ready = yield* queueIfReady(writing, run, at, question);
    return ready ? { ready: { id, owner, epoch, status: "queued" } } : {};
  }
  if (run?.status !== "in_progress") return {};
  const answers = run.answers + 1;
  writing.changes.run("UPDATE runs SET answers = ? WHERE n = ?", answers, run.n);
  writing.runs.set({ ...run, answers });
  return {};
}

/** A run parks. Where the answer has come already it is queued instead. */
export function* parkedRun(writing: Writing, run: RunState, at: number): Script<RunState> {
  if (run.status !== "requires_action" || run.answers === 0) return run;
  yield* queueIfReady(writing, run, at);
  return writing.runs.get(run.id) ?? run;
}

function* queueIfReady(
  writing: Writing,
  run: RunState,
  at: number,
  question?: string,
): Script<boolean> {
  if (!(yield* canGoOn(writing, run, question))) return false;
  return (yield* changeStatus(writing, run, "queued", at)).status === "changed";
}

/**
 * Whether a run that waits has something to do: a person's word, or all that its client's tools
 * answer. Of several outputs it wants the last one, too, as it cannot go on before that.
 */
function* canGoOn(
  { dialect }: Writing,
  run: RunState,
  question: string | undefined,
): Script<boolean> {
  const row = yield* first<{ result: string }>(
    "SELECT result FROM run_results WHERE run_n = ?",
    run.n,
  );
  if (row === undefined) return false;
  const { waiting = [] } = JSON.parse(row.result) as ChainResultRecord;
  const questions = waiting.flatMap((awaited) => {
    if (awaited.type === "client_call") return [];
    return awaited.type === "review" ? awaited.review.id : awaited.approval.id;
  });
  if (question !== undefined && questions.includes(question)) return true;
  if (questions.length > 0) {
    const answered = yield* first(
      `SELECT 1 FROM approvals WHERE id ${dialect.anyOf} AND status <> 'pending' LIMIT 1`,
      dialect.list(questions),
    );
    return answered !== undefined;
  }
  const rows = yield* all<{ call_id: string }>(
    "SELECT call_id FROM client_outputs WHERE run_n = ? AND output IS NOT NULL",
    run.n,
  );
  const given = new Set(rows.map((output) => output.call_id));
  return waiting.length > 0 && waiting.every(({ callId }) => given.has(idKey(callId)));
}
