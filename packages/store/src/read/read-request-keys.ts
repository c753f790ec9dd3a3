import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

/** A completed request, found by its idempotency key. */
export interface RequestKeyRecord {
  /** The digest of its route and body. */
  readonly digest: string;
  /** The run or the conversation that it created. */
  readonly resourceId: string | null;
  /** Its response, as text. */
  readonly response: string | null;
}

interface RequestKeyRow extends CheckedRow {
  readonly digest: string;
  readonly resource_id: string | null;
  readonly response: string | null;
}

/** Takes the owner, the key's id, and the current time in ms since the epoch. */
export const findRequestKey = statement<RequestKeyRow>(
  { reads: ["request_keys"] },
  (dialect: Dialect) => `SELECT digest, resource_id, response,
    ${isIntact(dialect, "request_keys", "request_keys")} AS is_intact
    FROM request_keys WHERE owner = ? AND id = ? AND expires_at > ?`,
);

/** Returns the request with an idempotency key, unless it has expired. */
export function* getRequestKey(query: {
  readonly owner: string;
  readonly id: string;
  readonly at: number;
}): Script<RequestKeyRecord | undefined> {
  const row = yield* first(findRequestKey, query.owner, query.id, query.at);
  if (row === undefined) return undefined;
  requireIntact("request_keys", row);
  const { digest, resource_id: resourceId, response } = row;
  return { digest, resourceId, response };
}
