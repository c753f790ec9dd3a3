import { requestOf, type RunRecord, type Store } from "@capstan/store";
import { conflict, isObject } from "./errors.ts";

/**
 * Checks that the runs of a conversation have the messages that it has as a thread. If not, only a
 * run of the thread reads the right ones.
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
      `The messages of this conversation were changed as a thread: the history of its responses has messages that were deleted, or not those that were copied. ${next}`,
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
    for (const id of messagesReadBy(run)) unread.delete(id);
    run = run.parentId === null ? undefined : await store.getRun({ owner, id: run.parentId });
  }
  if (unread.size > 0)
    throw conflict(
      `This conversation has messages that were added to it as a thread, and that no response has read. ${next}`,
    );
}

/** Returns the ids of the added messages that a run of a thread has read. */
function messagesReadBy(run: RunRecord): readonly string[] {
  if (run.kind !== "turn") return [];
  const { api, wire } = requestOf(run);
  return api === "threads" && isObject(wire) ? (wire["messages"] as readonly string[]) : [];
}
