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
  const found: ListedCall[] = [];
  let last = { run_n: Number.MAX_SAFE_INTEGER, n: 0 };
  // What is sorted out takes nobody's place: then more rows are read.
  for (;;) {
    const rows = yield* all<CallRow>(
      `SELECT c.run_n, c.n, r.id AS run_id, r.model, c.record, c.updated_at
       FROM (SELECT n, id, model FROM runs WHERE owner = ? ORDER BY n DESC LIMIT ?) r
       JOIN run_calls c ON c.run_n = r.n
       WHERE c.record LIKE ? ESCAPE '\\' AND (c.run_n < ? OR (c.run_n = ? AND c.n < ?))
       ORDER BY c.run_n DESC, c.n DESC LIMIT ?`,
      owner,
      mostRuns,
      like,
      last.run_n,
      last.run_n,
      last.n,
      limit,
    );
    found.push(...rows.map(listedCall).filter(({ call }) => call.toolId?.startsWith(begins)));
    const end = rows.at(-1);
    if (end === undefined || rows.length < limit || found.length >= limit)
      return found.slice(0, limit);
    last = end;
  }
}

interface CallRow {
  readonly run_n: number;
  readonly n: number;
  readonly run_id: string;
  readonly model: string;
  readonly record: string;
  readonly updated_at: number;
}

function listedCall(row: CallRow): ListedCall {
  return {
    runId: row.run_id,
    model: row.model,
    call: JSON.parse(row.record) as CallRecord,
    updatedAt: row.updated_at,
  };
}
