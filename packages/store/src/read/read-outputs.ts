import type { ClientOutput } from "@capstan/core/host";
import { idKey } from "../sql/id-key.ts";
import { all, type Script } from "../sql/script.ts";
import { callsOf } from "./read-journal.ts";

/** What clients submitted and the run has not taken yet. */
export function* listOutputs(query: { owner: string; runId: string }): Script<ClientOutput[]> {
  const rows = yield* all<{ run_n: number; call_id: string; output: string }>(
    `SELECT run_n, call_id, output FROM client_outputs
     WHERE run_n = (SELECT n FROM runs WHERE id = ? AND owner = ?)
       AND output IS NOT NULL ORDER BY submitted_at, call_id`,
    query.runId,
    query.owner,
  );
  const [first] = rows;
  if (first === undefined) return [];
  const calls = yield* callsOf({ n: first.run_n, id: query.runId });
  const ids = new Map(calls.map(({ call: { callId } }) => [idKey(callId), callId]));
  return rows.map(({ call_id: key, output }) => ({
    callId: ids.get(key) ?? key,
    output: JSON.parse(output) as string,
  }));
}
