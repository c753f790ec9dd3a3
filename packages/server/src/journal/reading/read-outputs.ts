import type { CallRecord, ClientOutput } from "@capstan/core";
import { all, type Script } from "../script.ts";

/** What clients submitted and the run has not taken yet. */
export function* listOutputs(query: { owner: string; runId: string }): Script<ClientOutput[]> {
  const rows = yield* all<{ record: string; output: string }>(
    `SELECT c.record, o.output FROM client_outputs o
     JOIN run_calls c ON c.run_n = o.run_n AND c.call_id = o.call_id
     WHERE o.run_n = (SELECT n FROM runs WHERE id = ? AND owner = ?)
       AND o.output IS NOT NULL ORDER BY o.submitted_at, o.call_id`,
    query.runId,
    query.owner,
  );
  return rows.map((row) => ({
    callId: (JSON.parse(row.record) as CallRecord).callId,
    output: JSON.parse(row.output) as string,
  }));
}
