import {
  type ConversationRow,
  conversationRecord,
  selectConversations,
} from "../../read/read-conversations.ts";
import type { ConversationRecord } from "../../records/records.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateConversation = Extract<StoreWrite, { type: "create-conversation" }>;
type UpdateConversation = Extract<StoreWrite, { type: "update-conversation" }>;
type MoveHead = Extract<StoreWrite, { type: "move-head" }>;

const findById = statement(
  { reads: ["conversations"] },
  "SELECT 1 FROM conversations WHERE id = ?",
);

const findHead = statement({ reads: ["runs"] }, "SELECT 1 FROM runs WHERE id = ? AND owner = ?");

const lockConversation = statement<ConversationRow>(
  { reads: ["conversations", "runs"] },
  (dialect) => `${selectConversations(dialect)} WHERE c.id = ? AND c.owner = ?${dialect.lock("c")}`,
);

/** Creates a conversation. Rejects an id that is in use. */
export function* createConversation(
  { changes, notes }: WriteContext,
  write: CreateConversation,
  at: number,
): Script<OutcomeOf<CreateConversation>> {
  const known = yield* first(findById, write.id);
  if (known !== undefined) {
    return {
      status: "refused",
      reason: `There is a conversation ${write.id} already: give each a new random id.`,
    };
  }
  const { id, owner, title } = write;
  changes.insert("conversations", {
    id,
    owner,
    title,
    metadata: JSON.stringify(write.metadata),
    switches: JSON.stringify(write.switches),
    created_at: at,
    updated_at: at,
    state: "open",
  });
  notes.push({ owner, event: { type: "conversation.created", conversation: id } });
  return { status: "created" };
}

/** Changes the given fields of a conversation. */
export function* updateConversation(
  context: WriteContext,
  write: UpdateConversation,
  at: number,
): Script<OutcomeOf<UpdateConversation>> {
  const before = yield* findConversation(write.owner, write.id);
  if (before === undefined) return { status: "not_found" };
  const { title, metadata, switches, state } = write.update;
  const isMoved = [title, metadata, switches].every((change) => change === undefined);
  const conversation: ConversationRecord = {
    ...before,
    title: title ?? before.title,
    metadata: metadata ?? before.metadata,
    switches: {
      groups: { ...before.switches.groups, ...switches?.groups },
      tools: { ...before.switches.tools, ...switches?.tools },
    },
    state: state ?? before.state,
    // Pinned and archived conversations keep their order.
    updatedAt: isMoved ? before.updatedAt : at,
  };
  context.changes.update(
    "conversations",
    { id: write.id },
    {
      title: conversation.title,
      metadata: JSON.stringify(conversation.metadata),
      switches: JSON.stringify(conversation.switches),
      updated_at: conversation.updatedAt,
      state: conversation.state,
    },
  );
  noteChanged(context, write);
  return { status: "updated", conversation };
}

/** Moves a conversation's head by compare-and-set. */
export function* moveHead(
  context: WriteContext,
  write: MoveHead,
  at: number,
): Script<OutcomeOf<MoveHead>> {
  const conversation = yield* findConversation(write.owner, write.id);
  if (conversation === undefined) return { status: "not_found" };
  if (conversation.headRunId !== write.from)
    return { status: "conflict", head: conversation.headRunId };
  const run = yield* first(findHead, write.to, write.owner);
  if (run === undefined)
    return { status: "refused", reason: `There is no run ${write.to} to be the head.` };
  // A new message takes a conversation out of the archive.
  const state = conversation.state === "archived" ? "open" : conversation.state;
  const head = { head_run_id: write.to, updated_at: at, state };
  context.changes.update("conversations", { id: write.id }, head);
  noteChanged(context, write);
  return { status: "moved" };
}

function noteChanged({ notes }: WriteContext, { owner, id }: MoveHead | UpdateConversation): void {
  notes.push({ owner, event: { type: "conversation.changed", conversation: id } });
}

function* findConversation(owner: string, id: string): Script<ConversationRecord | undefined> {
  const row = yield* first(lockConversation, id, owner);
  return row === undefined ? undefined : conversationRecord(row);
}
