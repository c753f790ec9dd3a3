import type { CallRecord } from "@capstan/core";
import type { Quarantine } from "@capstan/core/host";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import { idKey } from "../../sql/id-key.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { callsOf } from "../read-journal.ts";

const findReview = statement<CheckedRow & { n: number; id: string; call_id: string; data: string }>(
  { reads: ["quarantine", "approvals", "runs"] },
  (dialect) => `SELECT r.n, r.id, a.call_id, q.data,
   ${isIntact(dialect, "quarantine", "q")} * ${isIntact(dialect, "approvals", "a")} AS is_intact FROM quarantine q JOIN approvals a ON a.id = q.id
   JOIN runs r ON r.n = q.run_n WHERE q.id = ? AND q.part = 'result' AND q.owner = ?`,
);

/**
 * Returns a call with its result in quarantine, for its reviewer and for the run that continues.
 */
export function* readReview(query: { owner: string; id: string }): Script<CallRecord | undefined> {
  const row = yield* first(findReview, query.id, query.owner);
  if (row === undefined) return undefined;
  requireIntact("quarantine", row);
  const entry = (yield* callsOf(row)).find(({ call }) => idKey(call.callId) === row.call_id);
  return entry && { ...entry.call, quarantine: JSON.parse(row.data) as Quarantine };
}
