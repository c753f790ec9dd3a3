import {
  type ConversationRow,
  conversationRecord,
  selectConversations,
} from "./conversation-rows.ts";
import type { ConversationRecord, Page } from "../records/records.ts";
import { all, first, type Script } from "../sql/script.ts";
import { pageLimit, pageOf } from "./page.ts";

export function* getConversation(query: {
  owner: string;
  id: string;
}): Script<ConversationRecord | undefined> {
  const row = yield* first<ConversationRow>(
    `${selectConversations} WHERE c.id = ? AND c.owner = ?`,
    query.id,
    query.owner,
  );
  return row === undefined ? undefined : conversationRecord(row);
}

export function* listConversations(query: {
  owner: string;
  limit?: number;
  after?: string;
}): Script<Page<ConversationRecord>> {
  const limit = pageLimit(query.limit);
  const after = query.after ?? null;
  const rows = yield* all<ConversationRow>(
    `${selectConversations} WHERE c.owner = ?
       AND (CAST(? AS TEXT) IS NULL
         OR (c.updated_at, c.id) < (SELECT updated_at, id FROM conversations WHERE id = ? AND owner = ?))
     ORDER BY c.updated_at DESC, c.id DESC LIMIT ?`,
    query.owner,
    after,
    after,
    query.owner,
    limit + 1,
  );
  return pageOf(rows, limit, conversationRecord);
}
