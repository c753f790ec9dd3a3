import { requestOf, type RunRecord, type Store, type ThreadObjectRecord } from "@capstan/store";
import { conflict, isObject } from "./errors.ts";

/**
 * Checks that the runs of a conversation have read the current messages of its thread. If not, only
 * a run of the thread may continue, because it reads them.
 *
 * @param place.head the newest run of the conversation
 * @throws RequestError 409 if messages were deleted or added at `/v1/threads` since the newest run
 */
export async function requireReadThread(
  store: Store,
  place: {
    readonly owner: string;
    readonly conversationId: string;
    readonly head: RunRecord | undefined;
  },
): Promise<void> {
  const { owner, conversationId, head } = place;
  const objects = await store.listThreadObjects({ owner, conversationId });
  const next = `Continue it with POST /v1/threads/${conversationId.replace(/^conv_/, "thread_")}/runs.`;
  if (objects.some(({ kind, data }) => kind === "thread" && data["mustRestate"] === true))
    throw conflict(
      `The messages of this conversation were changed at /v1/threads: the history of its responses still has deleted messages, or lacks copied ones. ${next}`,
    );
  // Messages can be added while a turn waits for outputs. A run after that turn reads them.
  if ((head?.result?.waiting ?? []).length > 0) return;
  const unread = new Set(
    objects.flatMap(({ id, kind, data }) =>
      kind === "message" && data["type"] === "created" ? [id] : [],
    ),
  );
  let run = head;
  while (unread.size > 0 && run?.conversationId === conversationId) {
    for (const id of messagesOf(run).messages) unread.delete(id);
    run = run.parentId === null ? undefined : await store.getRun({ owner, id: run.parentId });
  }
  if (unread.size > 0)
    throw conflict(
      `This conversation has messages that were added at /v1/threads and that no response has read. ${next}`,
    );
}

/**
 * Checks that no message that a run or its ancestors have read or written was deleted from its
 * thread.
 *
 * @throws RequestError 409 if such a message was deleted; the error suggests a new run of the
 * thread, which reads only the remaining messages
 */
export async function requireUndeleted(store: Store, run: RunRecord): Promise<void> {
  const { owner, conversationId } = run;
  if (conversationId === null) return;
  const objects = await store.listThreadObjects({ owner, conversationId });
  if (objects.length === 0) return;
  const isDeleted = deletedMessages(objects);
  for (let each: RunRecord | undefined = run; each?.conversationId === conversationId;) {
    const { messages, restated } = messagesOf(each);
    const found = restated === undefined ? isDeleted.in(each, messages) : isDeleted.of(restated);
    if (found !== undefined)
      throw conflict(
        `The message ${found} of this response's thread was deleted. Continue the thread with POST /v1/threads/${conversationId.replace(/^conv_/, "thread_")}/runs, or continue a newer response of it.`,
      );
    if (restated !== undefined) return;
    each = each.parentId === null ? undefined : await store.getRun({ owner, id: each.parentId });
  }
}

/** Returns functions that find a deleted message of a thread. */
function deletedMessages(objects: readonly ThreadObjectRecord[]) {
  const changed = objects.filter(({ data }) => data["isDeleted"] === true).map(({ id }) => id);
  const known = new Set(objects.map(({ id }) => id));
  const isWritten = (id: string) => writtenBy(id) !== undefined;
  const of = (ids: readonly string[]) =>
    ids.find((id) => changed.includes(id) || (!known.has(id) && !isWritten(id)));
  return {
    /**
     * Finds a deleted message among the given ones. Messages of runs have an object only if a
     * client changed them.
     */
    of,
    /** Finds a deleted message among those that a run has read or written. */
    in: (run: RunRecord, read: readonly string[]) =>
      of(read) ?? changed.find((id) => (writtenBy(id) ?? run.id) === run.id),
  };
}

/** Returns the run that wrote a message, or undefined for a message with an id of its client. */
function writtenBy(id: string): string | undefined {
  const suffix = /^msg_(.+)_\d+(?:_in)?$/.exec(id)?.[1];
  return suffix === undefined ? undefined : `resp_${suffix}`;
}

interface ReadMessages {
  /** The added messages that a run has read. */
  readonly messages: readonly string[];
  /** All messages that the run has read, if its request stated them again. */
  readonly restated?: readonly string[] | undefined;
}

function messagesOf(run: RunRecord): ReadMessages {
  if (run.kind !== "turn") return { messages: [] };
  const { api, wire } = requestOf(run);
  return api === "threads" && isObject(wire) ? (wire as unknown as ReadMessages) : { messages: [] };
}
