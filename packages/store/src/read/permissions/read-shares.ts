import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

/** A conversation that anyone with its link can read. */
export interface ShareRecord {
  readonly conversationId: string;
  /** The conversation's current title. */
  readonly title: string;
  /** In ms since the epoch. */
  readonly createdAt: number;
}

interface ShareRow {
  readonly conversation_id: string;
  readonly title: string;
  readonly created_at: number;
}

const selectShares = `SELECT s.conversation_id, c.title, s.created_at
  FROM shares s JOIN conversations c ON c.id = s.conversation_id`;

const tables = { reads: ["shares", "conversations"] } as const;

const findShares = statement<ShareRow>(
  tables,
  `${selectShares} WHERE s.owner = ? ORDER BY s.created_at DESC LIMIT 1000`,
);

const findShare = statement<ShareRow>(
  tables,
  `${selectShares} WHERE s.owner = ? AND s.conversation_id = ?`,
);

const findContent = statement<CheckedRow & { content: string }>(
  { reads: ["shares"] },
  (dialect) =>
    `SELECT content, ${isIntact(dialect, "shares", "s")} AS is_intact FROM shares s WHERE digest = ?`,
);

/** Returns the conversations that a user shares, the newest link first, at most 1,000. */
export function* listShares({ owner }: { owner: string }): Script<readonly ShareRecord[]> {
  return (yield* all(findShares, owner)).map(shareRecord);
}

/** Returns the share of a conversation. */
export function* getShare(query: {
  owner: string;
  conversationId: string;
}): Script<ShareRecord | undefined> {
  const row = yield* first(findShare, query.owner, query.conversationId);
  return row && shareRecord(row);
}

/** Returns what a link shows, as JSON, by the digest of its token, of any owner. */
export function* everyShareOf({ digest }: { digest: string }): Script<string | undefined> {
  const row = yield* first(findContent, digest);
  if (row !== undefined) requireIntact("shares", row);
  return row?.content;
}

function shareRecord({ conversation_id, title, created_at }: ShareRow): ShareRecord {
  return { conversationId: conversation_id, title, createdAt: created_at };
}
