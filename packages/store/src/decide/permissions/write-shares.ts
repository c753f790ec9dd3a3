import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type ShareConversation = Extract<StoreWrite, { type: "share-conversation" }>;
type RevokeShare = Extract<StoreWrite, { type: "revoke-share" }>;

const lockConversation = statement(
  { reads: ["conversations"] },
  ({ lock }) => `SELECT 1 FROM conversations WHERE id = ? AND owner = ?${lock("conversations")}`,
);

const findShare = statement(
  { reads: ["shares"] },
  "SELECT 1 FROM shares WHERE conversation_id = ? AND owner = ?",
);

/** Shares a conversation by a link. An earlier link to it no longer works. */
export function* shareConversation(
  { changes }: WriteContext,
  { owner, conversationId, digest, content }: ShareConversation,
  at: number,
): Script<OutcomeOf<ShareConversation>> {
  const known = yield* first(lockConversation, conversationId, owner);
  if (known === undefined) return { status: "not_found" };
  changes.insert("shares", {
    conversation_id: conversationId,
    owner,
    digest,
    created_at: at,
    content,
  });
  return { status: "updated", createdAt: at };
}

/** Revokes the link to a conversation. */
export function* revokeShare(
  { changes }: WriteContext,
  { owner, conversationId }: RevokeShare,
): Script<OutcomeOf<RevokeShare>> {
  const known = yield* first(findShare, conversationId, owner);
  if (known === undefined) return { status: "not_found" };
  changes.remove("shares", { conversation_id: conversationId });
  return { status: "removed" };
}
