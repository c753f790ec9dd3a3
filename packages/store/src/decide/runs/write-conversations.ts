import {
  type ConversationRow,
  conversationRecord,
  selectConversations,
} from "../../read/conversation-rows.ts";
import type { ConversationRecord } from "../../records/records.ts";
import { first, type Script } from "../../sql/script.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateConversation = Extract<StoreWrite, { type: "create-conversation" }>;
type UpdateConversation = Extract<StoreWrite, { type: "update-conversation" }>;
type MoveHead = Extract<StoreWrite, { type: "move-head" }>;

export function* createConversation(
  { changes }: WriteContext,
  write: CreateConversation,
  at: number,
): Script<OutcomeOf<CreateConversation>> {
  const known = yield* first("SELECT 1 FROM conversations WHERE id = ?", write.id);
  if (known !== undefined) {
    return {
      status: "refused",
      reason: `There is a conversation ${write.id} already: give each a new random id.`,
    };
  }
  changes.run(
    `INSERT INTO conversations (id, owner, title, metadata, switches, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    write.id,
    write.owner,
    write.title,
    JSON.stringify(write.metadata),
    JSON.stringify(write.switches),
    at,
    at,
  );
  return { status: "created" };
}

export function* updateConversation(
  context: WriteContext,
  write: UpdateConversation,
  at: number,
): Script<OutcomeOf<UpdateConversation>> {
  const before = yield* findConversation(context, write.owner, write.id);
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
  context.changes.run(
    "UPDATE conversations SET title = ?, metadata = ?, switches = ?, updated_at = ? WHERE id = ?",
    conversation.title,
    JSON.stringify(conversation.metadata),
    JSON.stringify(conversation.switches),
    at,
    write.id,
  );
  return { status: "updated", conversation };
}

export function* moveHead(
  context: WriteContext,
  write: MoveHead,
  at: number,
): Script<OutcomeOf<MoveHead>> {
  const conversation = yield* findConversation(context, write.owner, write.id);
  if (conversation === undefined) return { status: "not_found" };
  if (conversation.headRunId !== write.from)
    return { status: "conflict", head: conversation.headRunId };
  const run = yield* first("SELECT 1 FROM runs WHERE id = ? AND owner = ?", write.to, write.owner);
  if (run === undefined)
    return { status: "refused", reason: `There is no run ${write.to} to be the head.` };
  context.changes.run(
    "UPDATE conversations SET head_run_id = ?, updated_at = ? WHERE id = ?",
    write.to,
    at,
    write.id,
  );
  return { status: "moved" };
}

function* findConversation(
  { dialect }: WriteContext,
  owner: string,
  id: string,
): Script<ConversationRecord | undefined> {
  const row = yield* first<ConversationRow>(
    `${selectConversations} WHERE c.id = ? AND c.owner = ?${dialect.lock("c")}`,
    id,
    owner,
  );
  return row === undefined ? undefined : conversationRecord(row);
}
