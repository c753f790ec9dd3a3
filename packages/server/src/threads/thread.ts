import type { JsonObject } from "@capstan/core";
import {
  type ConversationRecord,
  isAccepted,
  type Store,
  type StoreWrite,
  type WriteOutcome,
} from "@capstan/store";
import { conflict, notFound, type RequestError } from "../http/errors.ts";
import type { ToolResources } from "./request/tool-resources.ts";
import { runWire, wireThreadId } from "./run-wire.ts";

/** The parts of a thread that its conversation does not have. */
export interface ThreadData {
  readonly tool_resources: ToolResources | null;
  /**
   * Whether the messages of the thread differ from the history of its runs. The next run then states
   * all messages.
   */
  readonly mustRestate: boolean;
  /** Number of changes. A request whose number is older has missed a change. */
  readonly changes: number;
}

/** A thread: a conversation with the resources of its tools. */
export interface Thread {
  readonly conversation: ConversationRecord;
  readonly data: ThreadData;
  /** The data as stored; `null` if there is none yet. */
  readonly stored: JsonObject | null;
}

const newData: ThreadData = { tool_resources: null, mustRestate: false, changes: 0 };

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
  const data = stored?.data as unknown as Partial<ThreadData> | undefined;
  return { conversation, data: { ...newData, ...data }, stored: stored?.data ?? null };
}

/**
 * Returns the write that changes a thread's data. The store rejects it if the data has changed
 * since the thread was read.
 */
export function threadWrite(
  {
    conversation: { owner, id },
    data,
    stored,
  }: Pick<Thread, "data" | "stored"> & {
    readonly conversation: Pick<ConversationRecord, "owner" | "id">;
  },
  change: Partial<Omit<ThreadData, "changes">>,
): Extract<StoreWrite, { type: "save-thread-object" }> {
  return {
    type: "save-thread-object",
    owner,
    id: wireThreadId(id),
    conversationId: id,
    kind: "thread",
    data: { ...data, ...change, changes: data.changes + 1 } as unknown as JsonObject,
    replaces: stored,
  };
}

/** Returns the write that stores the data of a new thread. */
export function newThreadWrite(
  conversation: Pick<ConversationRecord, "owner" | "id">,
  data: Pick<ThreadData, "tool_resources" | "mustRestate">,
): StoreWrite {
  return threadWrite({ conversation, data: newData, stored: null }, data);
}

/** @throws RequestError 404 if a thread or its part no longer exists, 409 if it has changed */
export function requireWritten(
  outcomes: readonly WriteOutcome[],
  notFoundError: RequestError,
): void {
  const refused = outcomes.find((outcome) => outcome.status === "refused");
  if (refused !== undefined) throw conflict(refused.reason);
  if (!outcomes.every(isAccepted)) throw notFoundError;
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

/**
 * The maximum number of attempts to change a thread that other requests change at the same time.
 * After it, the request gets a 409.
 */
const maxAttempts = 5;

/**
 * Makes the next run state all messages again if the newest run has read one of the given messages
 * and the message was deleted. Call it after a run was started, and after a message was deleted.
 * The later of the two calls sees both changes.
 */
export async function restateIfRead(
  store: Store,
  { conversation: { owner, id } }: Thread,
  messages: readonly string[],
): Promise<void> {
  if (messages.length === 0) return;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await store.listThreadObjects({ owner, conversationId: id });
    const left = new Set(stored.map((record) => record.id));
    const deleted = messages.filter((message) => !left.has(message));
    if (deleted.length === 0) return;
    const thread = await findThread(store, { owner, id: id.replace(/^conv_/, "thread_") });
    const { headRunId } = thread.conversation;
    const run = headRunId === null ? undefined : await store.getRun({ owner, id: headRunId });
    const read = new Set(run && runWire(run)?.messages);
    if (thread.data.mustRestate || !deleted.some((message) => read.has(message))) return;
    const outcomes = await store.write([threadWrite(thread, { mustRestate: true })]);
    if (outcomes.every(isAccepted)) return;
  }
  throw conflict("Other requests keep changing this thread. Try again.");
}
