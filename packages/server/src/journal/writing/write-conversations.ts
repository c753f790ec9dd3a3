import {
  type ConversationRow,
  conversationRecord,
  selectConversations,
} from "../conversation-rows.ts";
import type { ConversationRecord } from "../records.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { Writing } from "./writing.ts";

type CreateConversation = Extract<StoreWrite, { type: "create-conversation" }>;
type UpdateConversation = Extract<StoreWrite, { type: "update-conversation" }>;
type MoveHead = Extract<StoreWrite, { type: "move-head" }>;

export function createConversation(
  { sql }: Writing,
  write: CreateConversation,
  at: number,
): OutcomeOf<CreateConversation> {
  const changes = sql.run(
    `INSERT INTO conversations (id, owner, title, metadata, switches, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    write.id,
    write.owner,
    write.title,
    JSON.stringify(write.metadata),
    JSON.stringify(write.switches),
    at,
    at,
  );
  if (changes > 0) return { status: "created" };
  return {
    status: "refused",
    reason: `There is a conversation ${write.id} already: give each a new random id.`,
  };
}

export function updateConversation(
  writing: Writing,
  write: UpdateConversation,
  at: number,
): OutcomeOf<UpdateConversation> {
  const before = findConversation(writing, write.owner, write.id);
  if (before === undefined) return { status: "not_found" };
  const { title, metadata, switches } = write.update;
  const conversation: ConversationRecord = {
    ...before,
    title: title ?? before.title,
    metadata: metadata ?? before.metadata,
    switches: {
      groups: { ...before.switches.groups, ...switches?.groups },
      tools: { ...before.switches.tools, ...switches?.tools },
    },
    updatedAt: at,
  };
  writing.sql.run(
    "UPDATE conversations SET title = ?, metadata = ?, switches = ?, updated_at = ? WHERE id = ?",
    conversation.title,
    JSON.stringify(conversation.metadata),
    JSON.stringify(conversation.switches),
    at,
    write.id,
  );
  return { status: "updated", conversation };
}

export function moveHead(writing: Writing, write: MoveHead, at: number): OutcomeOf<MoveHead> {
  const conversation = findConversation(writing, write.owner, write.id);
  if (conversation === undefined) return { status: "not_found" };
  if (conversation.headRunId !== write.from)
    return { status: "conflict", head: conversation.headRunId };
  const run = writing.sql.get(
    "SELECT 1 FROM runs WHERE id = ? AND owner = ?",
    write.to,
    write.owner,
  );
  if (run === undefined)
    return { status: "refused", reason: `There is no run ${write.to} to be the head.` };
  writing.sql.run(
    "UPDATE conversations SET head_run_id = ?, updated_at = ? WHERE id = ?",
    write.to,
    at,
    write.id,
  );
  return { status: "moved" };
}

function findConversation(
  { sql }: Writing,
  owner: string,
  id: string,
): ConversationRecord | undefined {
  const row = sql.get<ConversationRow>(
    `${selectConversations} WHERE c.id = ? AND c.owner = ?`,
    id,
    owner,
  );
  return row === undefined ? undefined : conversationRecord(row);
}
