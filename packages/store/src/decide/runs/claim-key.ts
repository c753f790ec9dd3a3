import { findRequestKey } from "../../read/read-request-keys.ts";
import type { AppliedOutcome } from "../../records/write-results.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type ClaimKey = Extract<StoreWrite, { type: "claim-key" }>;

/**
 * A key that is not in the table has no row to lock: another node could claim it at the same time.
 */
const lockKey = statement(
  {},
  { postgres: "SELECT 1 AS ok FROM pg_advisory_xact_lock(hashtextextended(?, 0))" },
);

/** Deletes a limited number per write, and skips keys that another node is deleting. */
const deleteExpired = statement(
  { writes: ["request_keys"] },
  ({ name }) => `DELETE FROM request_keys WHERE (owner, id) IN (
    SELECT owner, id FROM request_keys WHERE expires_at <= ? LIMIT 100${name === "postgres" ? " FOR UPDATE SKIP LOCKED" : ""})`,
);

/** The `resourceId` of a key whose `response` has the outcomes of its writes. */
export const storedOutcomes = "outcomes";

/**
 * Claims an idempotency key for a request.
 *
 * @param outcomes the outcomes of the request's earlier writes
 */
export function* claimKey(
  { changes, database }: WriteContext,
  { owner, key, resourceId, response, storesOutcomes = false }: ClaimKey,
  at: number,
  outcomes: readonly AppliedOutcome[],
): Script<OutcomeOf<ClaimKey>> {
  const { id, digest, ttlMs, replaces } = key;
  if (database === "postgres") yield* all(lockKey, `${id} ${owner}`);
  const known = yield* first(findRequestKey, owner, id, at);
  if (known !== undefined && replaces !== "any" && known.resource_id !== (replaces ?? ""))
    return { status: "known" };
  changes.run(deleteExpired, at);
  changes.insert("request_keys", {
    owner,
    id,
    digest,
    resource_id: storesOutcomes ? storedOutcomes : (resourceId ?? null),
    response: storesOutcomes ? JSON.stringify(outcomes) : (response ?? null),
    expires_at: at + ttlMs,
  });
  return { status: "claimed_key" };
}
