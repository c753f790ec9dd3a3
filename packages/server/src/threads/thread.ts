import type { JsonObject } from "@capstan/core";
import type { ConversationRecord, Store, StoreWrite } from "@capstan/store";
import { notFound } from "../http/errors.ts";
import type { ToolResources } from "./request/tool-resources.ts";
import { wireThreadId } from "./run-wire.ts";

/** The parts of a thread that its conversation does not have. */
export interface ThreadData {
  readonly tool_resources: ToolResources | null;
  /**
   * Whether the messages of the thread differ from the history of its runs. The next run then states
   * all messages.
   */
  readonly mustRestate: boolean;
}

/** A thread: a conversation with the resources of its tools. */
export interface Thread {
  readonly conversation: ConversationRecord;
  readonly data: ThreadData;
}

const newData: ThreadData = { tool_resources: null, mustRestate: false };

/**
 * Finds a thread. Conversations of other APIs are threads, too.
 *
 * @throws RequestError 404 if there is none, or it has another owner
 */
export async function findThread(
  store: Store,
  { owner, id }: { readonly owner: string; readonly id: string },
): Promise<Thread> {
  const known = id.startsWith("thread_");
  const conversationId = id.replace(/^thread_/, "conv_");
  const conversation = known
    ? await store.getConversation({ owner, id: conversationId })
    : undefined;
  if (conversation === undefined) throw notFound("thread", id);
  const stored = await store.getThreadObject({ owner, id });
  const data = (stored?.data as unknown as ThreadData | undefined) ?? newData;
  return { conversation, data };
}

/** Returns the write that stores a thread's data. */
export function threadWrite(
  { owner, id }: Pick<ConversationRecord, "owner" | "id">,
  data: Partial<ThreadData>,
): Extract<StoreWrite, { type: "save-thread-object" }> {
  return {
    type: "save-thread-object",
    owner,
    id: wireThreadId(id),
    conversationId: id,
    kind: "thread",
    data: { ...newData, ...data } as unknown as JsonObject,
  };
}

/** Returns a thread as the API shows it. */
export function threadView({ conversation, data }: Thread): JsonObject {
  const { id, createdAt, metadata } = conversation;
  return {
    id: wireThreadId(id),
    object: "thread",
    created_at: Math.floor(createdAt / 1_000),
    metadata,
    tool_resources: data.tool_resources as unknown as JsonObject | null,
  };
}
