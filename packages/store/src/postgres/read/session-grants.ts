import type { Grant } from "@capstan/core";
import { activeAt } from "../../read/permissions/grant-rows.ts";
import { all, type Script } from "../../sql/script.ts";

/** Whose, and in which session. */
export interface GrantsQuery {
  readonly owner: string;
  readonly sessionId: string;
}

interface Row {
  readonly owner: string;
  readonly session_id: string | null;
  readonly data: string;
}

const select = `SELECT owner, session_id, data FROM grants
  WHERE owner = ANY(?) AND (session_id IS NULL OR session_id = ANY(?))
    AND ${activeAt} ORDER BY created_at, id`;

/**
 * What holds in each of several sessions, in one statement: many runs begin and go on at once, and
 * most of them are one owner's.
 *
 * @param at in ms since the epoch
 */
export function* readSessionGrants(
  queries: readonly GrantsQuery[],
  at: number,
): Script<readonly (readonly Grant[])[]> {
  const owners = [...new Set(queries.map(({ owner }) => owner))];
  const sessions = queries.map(({ sessionId }) => sessionId);
  const rows = yield* all<Row>(select, owners, sessions, at);
  const found = rows.map(({ owner, session_id: sessionId, data }) => {
    return { owner, sessionId, grant: JSON.parse(data) as Grant };
  });
  const byOwner = Map.groupBy(found, ({ owner }) => owner);
  return queries.map(({ owner, sessionId }) =>
    (byOwner.get(owner) ?? [])
      .filter((one) => one.sessionId === null || one.sessionId === sessionId)
      .map(({ grant }) => grant),
  );
}
