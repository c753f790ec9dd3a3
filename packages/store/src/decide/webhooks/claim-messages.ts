import type { StoreWrite } from "../../records/store-writes.ts";
import type { WebhookEvent } from "../../records/webhooks.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { type CheckedRow, isIntact } from "../../schema/row-checksums.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type ClaimMessages = Extract<StoreWrite, { type: "claim-webhooks" }>;
type SettleMessage = Extract<StoreWrite, { type: "settle-webhook" }>;

interface MessageRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly event: string;
  readonly created_at: number;
  readonly attempts: number;
}

/** Messages that another node is claiming are skipped. */
const findDue = statement<MessageRow>(
  { reads: ["webhook_messages"] },
  (dialect) => `SELECT id, owner, event, created_at, attempts,
      ${isIntact(dialect, "webhook_messages", "webhook_messages")} AS is_intact
    FROM webhook_messages WHERE endpoint = ? AND due_at <= ? ORDER BY due_at LIMIT ?${
      dialect.name === "postgres" ? " FOR UPDATE SKIP LOCKED" : ""
    }`,
);

const lockMessage = statement<{ readonly attempts: number }>(
  { reads: ["webhook_messages"] },
  (dialect) =>
    `SELECT attempts FROM webhook_messages WHERE endpoint = ? AND id = ?${dialect.lock("webhook_messages")}`,
);

/** Deletes a limited number per write, and skips messages that another node is changing. */
const deleteOld = statement(
  { writes: ["webhook_messages"] },
  ({ name }) => `DELETE FROM webhook_messages WHERE (endpoint, id) IN (
    SELECT endpoint, id FROM webhook_messages WHERE created_at <= ? ORDER BY created_at LIMIT 100${
      name === "postgres" ? " FOR UPDATE SKIP LOCKED" : ""
    })`,
);

/**
 * Claims messages that are due for a time in which no other node sends them, and deletes messages
 * that are too old, also of endpoints that the configuration no longer names.
 */
export function* claimMessages(
  { changes }: WriteContext,
  { endpoint, limit, ms, maxAgeMs }: ClaimMessages,
  at: number,
): Script<OutcomeOf<ClaimMessages>> {
  changes.run(deleteOld, at - maxAgeMs);
  const rows = yield* all(findDue, endpoint, at, limit);
  const messages = [];
  for (const { id, owner, event, created_at, attempts, is_intact } of rows) {
    if (is_intact !== 1) {
      changes.remove("webhook_messages", { endpoint, id });
      continue;
    }
    const attempt = attempts + 1;
    changes.update("webhook_messages", { endpoint, id }, { attempts: attempt, due_at: at + ms });
    const made = JSON.parse(event) as WebhookEvent;
    messages.push({ endpoint, id, owner, event: made, createdAt: created_at, attempts: attempt });
  }
  return { status: "claimed_webhooks", messages };
}

/** Deletes a message, or sets its next attempt, unless it was claimed again meanwhile. */
export function* settleMessage(
  { changes }: WriteContext,
  { endpoint, id, attempts, retryAt }: SettleMessage,
): Script<OutcomeOf<SettleMessage>> {
  const row = yield* first(lockMessage, endpoint, id);
  if (row?.attempts !== attempts) return { status: "not_found" };
  if (retryAt === null) changes.remove("webhook_messages", { endpoint, id });
  else changes.update("webhook_messages", { endpoint, id }, { due_at: retryAt });
  return { status: "settled_webhook" };
}
