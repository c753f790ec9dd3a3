import type { CallRecord } from "@capstan/core";
import { idKey } from "../../sql/id-key.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { type CallsRow, foldCalls, patchOf, isOutcomeUnknown } from "../../encode/call-records.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { removeAnswerable } from "./answerable-calls.ts";
import { noteOutcome } from "../state/note-run.ts";
import type { WriteContext } from "../state/write-context.ts";

type AnswerCall = Extract<StoreWrite, { type: "answer-call" }>;

/** A row of a run's journal with calls. */
interface JournalRow extends CallsRow {
  readonly run_n: number;
  readonly seq: number;
  readonly nth: number;
}

const lockCalls = statement<JournalRow>(
  { reads: ["run_journal", "answerable_calls"] },
  ({ lock }) => `SELECT j.run_n, j.seq, j.nth, j.at, j.calls FROM run_journal j
   WHERE j.calls IS NOT NULL AND j.run_n IN (
     SELECT run_n FROM answerable_calls WHERE owner = ? AND call_id = ? AND answered_by = 'person'
     UNION SELECT CAST(? AS BIGINT))
   ORDER BY j.run_n, j.seq, j.nth${lock("j")}`,
);

/**
 * Stores a user's report on a call, also in its copies in runs that took over its turn, so that
 * every model request includes it. The run can have ended; it is not changed.
 */
export function* answerCall(
  context: WriteContext,
  { owner, runId, call }: AnswerCall,
): Script<OutcomeOf<AnswerCall>> {
  const run = context.runs.get(runId);
  if (run === undefined || run.owner !== owner) return { status: "not_found" };
  const rows = yield* all(lockCalls, owner, idKey(call.callId), run.n);
  const known = [...Map.groupBy(rows, (row) => row.run_n)].flatMap(([n, ofRun]) => {
    const entry = foldCalls(ofRun).find((each) => each.call.callId === call.callId);
    const last = ofRun.findLast(({ calls }) => mentions(calls, call.callId));
    return entry === undefined || last === undefined ? [] : { n, call: entry.call, last };
  });
  const before = known.find(({ n }) => n === run.n)?.call;
  if (before === undefined) return { status: "not_found" };
  if (!isOutcomeUnknown(before)) return { status: "already_answered", call: before };
  for (const { call: copy, last } of known) {
    // A different call of another run can have the same id.
    if (!isOutcomeUnknown(copy) || copy.idempotencyKey !== call.idempotencyKey) continue;
    const patch = JSON.stringify(patchOf(copy, call));
    const { run_n: runN, seq, nth } = last;
    const calls = `${last.calls.slice(0, -1)},${patch}]`;
    context.changes.update("run_journal", { run_n: runN, seq, nth }, { calls });
    removeAnswerable(context, last.run_n, { callId: call.callId, by: "person" });
  }
  noteOutcome(context, run, { type: "outcome.answered", call: call.callId });
  return { status: "answered", call };
}

function mentions(calls: string, callId: string): boolean {
  return (JSON.parse(calls) as readonly CallRecord[]).some((call) => call.callId === callId);
}
