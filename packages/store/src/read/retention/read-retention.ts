import type { SizedLineage, Untouched, LineageStart } from "../../records/read-results.ts";
import { forgottenOwner, readLineage } from "./lineage.ts";

import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { lineageBytes } from "./usage.ts";
import { pageLimit } from "../page.ts";

const findNextOwner = statement<{ owner: string | null }>(
  { reads: ["runs", "conversations", "files"] },
  `SELECT MIN(owner) AS owner FROM (
     SELECT MIN(owner) AS owner FROM runs WHERE owner > ?
     UNION ALL SELECT MIN(owner) AS owner FROM conversations WHERE owner > ?
     UNION ALL SELECT MIN(owner) AS owner FROM files WHERE owner > ?
   ) AS next`,
);

const findUntouched = statement<{ type: LineageStart["type"]; id: string; touched: number }>(
  { reads: ["runs", "conversations"] },
  `SELECT type, id, touched FROM (
     SELECT 'conversation' AS type, id, updated_at AS touched FROM conversations WHERE owner = ?
     UNION ALL
     SELECT 'session' AS type, session_id AS id, MAX(updated_at) AS touched FROM runs
     WHERE owner = ? AND conversation_id IS NULL GROUP BY session_id
   ) AS known
   WHERE touched < ? AND (touched > ? OR (touched = ? AND id > ?)) ORDER BY touched, id LIMIT ?`,
);

/** Returns all owners of data in order, without the owner of forgotten runs. */
export function* everyOwner(): Script<string[]> {
  const owners: string[] = [];
  for (let last: string = forgottenOwner; ;) {
    // One index lookup per owner, however much data there is.
    const row = yield* first(findNextOwner, last, last, last);
    if (row?.owner == null) return owners;
    last = row.owner;
    owners.push(last);
  }
}

/**
 * Returns an owner's conversations, and sessions without a conversation, that were last changed
 * before a time; the oldest first.
 */
export function* listUntouched(query: {
  readonly owner: string;
  readonly before: number;
  /** The last entry of the previous page. */
  readonly after?: Untouched;
  readonly limit?: number;
}): Script<Untouched[]> {
  const { owner, before } = query;
  const after = query.after ?? { touchedAt: -1, id: "" };
  const rows = yield* all(
    findUntouched,
    owner,
    owner,
    before,
    after.touchedAt,
    after.touchedAt,
    after.id,
    pageLimit(query.limit ?? 100),
  );
  return rows.map(({ type, id, touched }) => ({ type, id, touchedAt: touched }));
}

/** Returns the lineage of a conversation or a session, with its size. */
export function* getLineage(query: {
  readonly owner: string;
  readonly start: LineageStart;
}): Script<SizedLineage | undefined> {
  const lineage = yield* readLineage(query);
  return lineage === undefined ? undefined : { ...lineage, bytes: yield* lineageBytes(lineage) };
}
