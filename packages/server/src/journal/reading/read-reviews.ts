import type { CallRecord, Quarantine } from "@capstan/core";
import { first, type Script } from "../script.ts";

/** A call with its result in quarantine, for its reviewer and for who carries its run on. */
export function* readReview(query: { owner: string; id: string }): Script<CallRecord | undefined> {
  const row = yield* first<{ record: string; data: string }>(
    `SELECT c.record, q.data FROM quarantine q JOIN approvals a ON a.id = q.id
     JOIN run_calls c ON c.run_n = q.run_n AND c.call_id = a.call_id
     WHERE q.id = ? AND q.part = 'result' AND q.owner = ?`,
    query.id,
    query.owner,
  );
  if (row === undefined) return undefined;
  const quarantine = JSON.parse(row.data) as Quarantine;
  return { ...(JSON.parse(row.record) as CallRecord), quarantine };
}
