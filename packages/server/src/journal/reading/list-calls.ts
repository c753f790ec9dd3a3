import type { CallRecord } from "@capstan/core";
import type { ListedCall } from "../records.ts";
import { all, type Script } from "../script.ts";

/** How many of an owner's runs are looked through: a call of long ago is not worth all the rows since. */
const mostRuns = 1_000;

/** The last calls of a group's tools, newest first, without what is in quarantine. */
export function* listCalls(query: {
  owner: string;
  group: string;
  limit: number;
}): Script<ListedCall[]> {
  const { owner, group, limit } = query;
  const begins = `${group}.`;
  // The records are JSON: what looks like it elsewhere in one is sorted out below.
  const like = `%"toolId":${JSON.stringify(begins)
    .slice(0, -1)
    .replaceAll(/[\\%_]/g, "\\$&")}%`;
  const rows = yield* all<{ run_id: string; model: string; record: string; updated_at: number }>(
    `SELECT r.id AS run_id, r.model, c.record, c.updated_at
     FROM (SELECT n, id, model FROM runs WHERE owner = ? ORDER BY n DESC LIMIT ?) r
     JOIN run_calls c ON c.run_n = r.n
     WHERE c.record LIKE ? ESCAPE '\\'
     ORDER BY r.n DESC, c.n DESC LIMIT ?`,
    owner,
    mostRuns,
    like,
    limit,
  );
  return rows
    .map((row) => ({
      runId: row.run_id,
      model: row.model,
      call: JSON.parse(row.record) as CallRecord,
      updatedAt: row.updated_at,
    }))
    .filter(({ call }) => call.toolId?.startsWith(begins) === true);
}
