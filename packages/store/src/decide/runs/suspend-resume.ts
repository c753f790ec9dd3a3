import type { ChainResultRecord } from "@capstan/core/host";
import type { ReadyRun } from "../../records/claimed-run.ts";
import { idKey } from "../../sql/id-key.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { changeStatus } from "./change-status.ts";
import { claim } from "./claim-run.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * Resumes a run after an answer in this commit. If the run is suspended and can continue, it is
 * queued, or claimed by the node that wrote the answer. If the run is in progress, the answer is
 * counted until the run suspends.
 *
 * @param given.approval the approval that was answered, with the result that its run stopped with
 * @param given.claims whether the node that wrote the answer claims the run
 */
export function* resumeOnAnswer(
  context: WriteContext,
  runId: string,
  given: {
    readonly at: number;
    readonly approval?: { readonly id: string; readonly result: string | null };
    readonly claims?: boolean | undefined;
  },
): Script<{ readonly ready?: ReadyRun }> {
  const { at, approval, claims = false } = given;
  const run = context.runs.get(runId);
  if (run?.status === "requires_action") {
    if (!(yield* canResume(run, approval))) return {};
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

/** Queues a run that suspends if its answer has been written already; otherwise leaves it suspended. */
export function* suspendOrQueue(
  context: WriteContext,
  run: RunState,
  at: number,
): Script<RunState> {
  if (run.status !== "requires_action" || run.answers === 0) return run;
  if (!(yield* canResume(run))) return run;
  yield* changeStatus(context, run, "queued", at);
  return context.runs.get(run.id) ?? run;
}

const findAnswered = statement(
  { reads: ["approvals"] },
  ({ anyOf }) => `SELECT 1 FROM approvals WHERE id ${anyOf} AND status <> 'pending' LIMIT 1`,
);

const findGivenOutputs = statement<{ call_id: string }>(
  { reads: ["client_outputs"] },
  "SELECT call_id FROM client_outputs WHERE run_n = ? AND output IS NOT NULL",
);

const findResult = statement<{ result: string }>(
  { reads: ["run_results"] },
  "SELECT result FROM run_results WHERE run_n = ?",
);

/**
 * Returns whether a suspended run can resume: one of its approvals is answered, or, if it waits
 * only for client calls, all their outputs are stored.
 */
function* canResume(
  run: RunState,
  approval?: { readonly id: string; readonly result: string | null },
): Script<boolean> {
  const result = approval === undefined ? yield* resultOf(run) : approval.result;
  if (result === null) return false;
  const waiting = waitingIn(result);
  if (waiting === undefined) return true;
  const approvals = waiting.flatMap((awaited) => {
    if (awaited.type === "client_call") return [];
    return awaited.type === "review" ? awaited.review.id : awaited.approval.id;
  });
  if (approval !== undefined && approvals.includes(approval.id)) return true;
  if (approvals.length > 0) {
    const answered = yield* first(findAnswered, approvals);
    return answered !== undefined;
  }
  const rows = yield* all(findGivenOutputs, run.n);
  const given = new Set(rows.map((output) => output.call_id));
  return waiting.length > 0 && waiting.every(({ callId }) => given.has(idKey(callId)));
}

/**
 * Returns the requests that a run waits for, or undefined if the result is corrupt. The node that claims the run
 * detects the damage and ends the run.
 */
function waitingIn(result: string): NonNullable<ChainResultRecord["waiting"]> | undefined {
  try {
    return (JSON.parse(result) as ChainResultRecord).waiting ?? [];
  } catch {
    return undefined;
  }
}

function* resultOf(run: RunState): Script<string | null> {
  return (yield* first(findResult, run.n))?.result ?? null;
}
