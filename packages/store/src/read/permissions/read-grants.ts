import type { Grant } from "@capstan/core";
import { type GrantRow, grantRecord, activeAt, selectGrants } from "./grant-rows.ts";
import type { GrantRecord, Page } from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { pageLimit, pageOf } from "../page.ts";

export function* getGrant(query: { owner: string; id: string }): Script<GrantRecord | undefined> {
  const row = yield* first<GrantRow>(
    `${selectGrants} WHERE id = ? AND owner = ?`,
    query.id,
    query.owner,
  );
  return row === undefined ? undefined : grantRecord(row);
}

/** What every run begins with: leaner than a page. */
export function* readGrants(query: {
  owner: string;
  sessionId: string;
  at: number;
}): Script<Grant[]> {
  const rows = yield* all<{ data: string }>(
    `SELECT data FROM grants WHERE owner = ? AND (session_id IS NULL OR session_id = ?)
       AND ${activeAt} ORDER BY created_at, id`,
    query.owner,
    query.sessionId,
    query.at,
  );
  return rows.map(({ data }) => JSON.parse(data) as Grant);
}

export function* listGrants(query: {
  owner: string;
  sessionId?: string;
  toolId?: string;
  limit?: number;
  after?: string;
  at: number;
}): Script<Page<GrantRecord>> {
  const limit = pageLimit(query.limit);
  const { owner, at, sessionId, toolId, after } = query;
  // Only what is asked about: what holds whatever the values are is planned once.
  const conditions = [
    {
      text: `owner = ? AND ${activeAt}`,
      values: [owner, at],
    },
    ...(sessionId === undefined
      ? []
      : [{ text: "(session_id IS NULL OR session_id = ?)", values: [sessionId] }]),
    ...(toolId === undefined ? [] : [{ text: "tool_id = ?", values: [toolId] }]),
    ...(after === undefined
      ? []
      : [
          {
            text: "(created_at, id) < (SELECT created_at, id FROM grants WHERE id = ? AND owner = ?)",
            values: [after, owner],
          },
        ]),
  ];
  const rows = yield* all<GrantRow>(
    `${selectGrants} WHERE ${conditions.map(({ text }) => text).join(" AND ")}
     ORDER BY created_at DESC, id DESC LIMIT ?`,
    ...conditions.flatMap(({ values }) => values),
    limit + 1,
  );
  return pageOf(rows, limit, grantRecord);
}
