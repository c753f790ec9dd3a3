import type { CallRecord } from "@capstan/core";
import { idKey } from "../id-key.ts";
import { all, type Script } from "../script.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { Writing } from "./writing.ts";

type AnswerCall = Extract<StoreWrite, { type: "answer-call" }>;

interface CallRow {
  readonly run_n: number;
  readonly record: string;
}

/**
 * Changes the row of the call, and its copies in the runs that took its turn over: what a person
 * says is so wherever the model reads of it. The run itself may have ended, and stays as it is.
 */
export function* answerCall(
  writing: Writing,
  { owner, runId, call }: AnswerCall,
  at: number,
): Script<OutcomeOf<AnswerCall>> {
  const run = writing.runs.get(runId);
  if (run === undefined || run.owner !== owner) return { status: "not_found" };
  const rows = yield* all<CallRow>(
    `SELECT run_n, record FROM run_calls WHERE owner = ? AND call_id = ?${writing.dialect.lock("run_calls")}`,
    owner,
    idKey(call.callId),
  );
  const known = rows.map((row) => ({ n: row.run_n, call: JSON.parse(row.record) as CallRecord }));
  const before = known.find(({ n }) => n === run.n)?.call;
  if (before === undefined) return { status: "not_found" };
  if (!isOpen(before)) return { status: "already_answered", call: before };
  for (const { n, call: copy } of known) {
    // Another run's own call may have the same id.
    if (!isOpen(copy) || copy.idempotencyKey !== call.idempotencyKey) continue;
    writing.changes.run(
      "UPDATE run_calls SET record = ?, updated_at = ? WHERE run_n = ? AND call_id = ?",
      JSON.stringify(call),
      at,
      n,
      idKey(call.callId),
    );
  }
  return { status: "answered", call };
}

function isOpen({ status, found }: CallRecord): boolean {
  return status === "outcome_unknown" && found === undefined;
}
