import type { ClientOutput } from "@capstan/core";
import { all, type Script } from "../script.ts";
import { findRunN } from "./read-runs.ts";

/** What clients submitted and the run has not taken yet. */
export function* listOutputs(query: { owner: string; runId: string }): Script<ClientOutput[]> {
  const run = yield* findRunN(query);
  if (run === undefined) return [];
  const rows = yield* all<{ call_id: string; output: string }>(
    "SELECT call_id, output FROM client_outputs WHERE run_n = ? AND output IS NOT NULL ORDER BY submitted_at, call_id",
    run.n,
  );
  return rows.map((row) => ({ callId: row.call_id, output: JSON.parse(row.output) as string }));
}
