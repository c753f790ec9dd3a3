import type { ChainResultRecord } from "@capstan/core/host";
import type { ReadyRun } from "../../records/claimed-run.ts";
import { idKey } from "../../sql/id-key.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { changeStatus } from "./change-status.ts";
import { claim } from "./claim-run.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * A run was answered, in this commit. Where it waits, and can go on now, it is queued, or claimed by
 * who answered: whatever becomes of them, somebody takes it up. Where it goes on, this is kept in
 * mind until it parks.
 *
 * @param given.question which of its questions, where it was one, with what its run stopped with
 * @param given.claims who answered goes on with it
 */
export function* runAnswered(
  context: WriteContext,
  runId: string,
  given: {
    readonly at: number;
    readonly question?: { readonly id: string; readonly result: string | null };
    readonly claims?: boolean | undefined;
  },
): Script<{ readonly ready?: ReadyRun }> {
  const { at, question, claims = false } = given;
  const run = context.runs.get(runId);
  if (run?.status === "requires_action") {
    if (!(yield* canGoOn(context, run, question))) return {};
    const { id, owner } = run;
    if (claims) {
      const { epoch, lastSeq, edits } = claim(context, run, at);
      return { ready: { id, owner, epoch, status: "in_progress", lastSeq, edits } };
    }
    yield* changeStatus(context, run, "queued", at);
    return { ready: { id, owner, epoch: run.epoch, status: "queued" } };
  }
  if (run?.status !== "in_progress") return {};
  const answers = run.answers + 1;
  context.changes.update("runs", { n: run.n }, { answers });
  context.runs.set({ ...run, answers });
  return {};
}

/** A run parks. Where the answer has come already it is queued instead. */
export function* parkedRun(context: WriteContext, run: RunState, at: number): Script<RunState> {
  if (run.status !== "requires_action" || run.answers === 0) return run;
  if (!(yield* canGoOn(context, run))) return run;
  yield* changeStatus(context, run, "queued", at);
  return context.runs.get(run.id) ?? run;
}

/**
 * Whether a run that waits has something to do: a person's word, or all that its client's tools
 * answer. Of several outputs it wants the last one, too, as it cannot go on before that.
 */
function* canGoOn(
  { dialect }: WriteContext,
  run: RunState,
  question?: { readonly id: string; readonly result: string | null },
): Script<boolean> {
  const result = question === undefined ? yield* resultOf(run) : question.result;
  if (result === null) return false;
  const waiting = waitingIn(result);
  if (waiting === undefined) return true;
  const questions = waiting.flatMap((awaited) => {
    if (awaited.type === "client_call") return [];
    return awaited.type === "review" ? awaited.review.id : awaited.approval.id;
  });
  if (question !== undefined && questions.includes(question.id)) return true;
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

/** Undefined where it is damaged: who takes the run up finds that, and ends it. */
function waitingIn(result: string): NonNullable<ChainResultRecord["waiting"]> | undefined {
  try {
    return (JSON.parse(result) as ChainResultRecord).waiting ?? [];
  } catch {
    return undefined;
  }
}

function* resultOf(run: RunState): Script<string | null> {
  const select = "SELECT result FROM run_results WHERE run_n = ?";
  return (yield* first<{ result: string }>(select, run.n))?.result ?? null;
}
