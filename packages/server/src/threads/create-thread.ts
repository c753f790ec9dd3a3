import { newId } from "@capstan/core/host";
import { isAccepted, type StoreWrite, type ThreadLimit, type WriteOutcome } from "@capstan/store";
import { conflict, RequestError } from "../http/errors.ts";
import type { ClaimOf } from "../http/request-keys.ts";
import type { Services } from "../http/services.ts";
import { type CreatedMessage, fileIdsOf } from "./request/parse-message.ts";
import type { ParsedThread } from "./request/parse-thread.ts";
import { requireFiles } from "./require-files.ts";
import { newThreadWrite } from "./thread.ts";

/** @throws RequestError 404 if a thread names a file that its user does not have */
export async function requireThreadFiles(
  { runs: { store } }: Services,
  owner: string,
  { messages, resources }: ParsedThread,
): Promise<void> {
  const files = resources?.code_interpreter?.file_ids ?? [];
  await requireFiles(store, { owner, ids: files, at: "tool_resources" });
  await requireFiles(store, { owner, ids: messages.flatMap(fileIdsOf), at: "messages" });
}

/** The maximum that clients can add to a thread, because most routes read the whole thread. */
export const threadLimit: ThreadLimit = { objects: 10_000, bytes: 32 * 1_048_576 };

/**
 * Creates a thread with its messages, in one commit.
 *
 * @param options.continues the run that the thread's first run continues
 * @param options.claim the key of the request, see `createOnce`
 * @returns the id of its conversation, or `undefined` if another request took the key
 */
export async function createThread(
  { runs: { store } }: Pick<Services, "runs">,
  owner: string,
  { messages, metadata: given, resources }: ParsedThread,
  {
    continues = null,
    claim,
  }: { readonly continues?: string | null; readonly claim?: ClaimOf | undefined } = {},
): Promise<string | undefined> {
  const id = newId("conv_");
  const conversation: StoreWrite = {
    type: "create-conversation",
    id,
    owner,
    title: "",
    metadata: given,
    switches: { groups: {}, tools: {} },
  };
  const data = newThreadWrite(
    { owner, id },
    { tool_resources: resources, mustRestate: continues !== null },
  );
  const outcomes = await store.write([
    conversation,
    data,
    ...messageWrites({ owner, id }, messages),
    ...(continues === null
      ? []
      : [{ type: "move-head", owner, id, from: null, to: continues } as const]),
    ...(claim ? [claim(id)] : []),
  ]);
  const failure = conflict("The thread could not be created. Try again.");
  return isWritten(outcomes, failure) ? id : undefined;
}

/**
 * Returns the writes that add messages to a thread. The store rejects them if the thread becomes
 * too long.
 */
export function messageWrites(
  conversation: { readonly owner: string; readonly id: string },
  messages: readonly CreatedMessage[],
): readonly StoreWrite[] {
  return messages.map((message, index) => ({
    ...messageWrite(conversation, message),
    ...(index === messages.length - 1 && { limit: threadLimit }),
  }));
}

/**
 * Returns whether writes were applied. The result is false if another request took the key of this
 * request.
 *
 * @throws RequestError if the thread became too long, or `otherwise`
 */
export function isWritten(outcomes: readonly WriteOutcome[], otherwise: RequestError): boolean {
  const problem = outcomes.find((outcome) => !isAccepted(outcome) && outcome.status !== "skipped");
  if (problem === undefined) return true;
  if (problem.status === "known") return false;
  if (problem.status === "refused")
    throw new RequestError({
      code: "thread_too_long",
      param: "thread_id",
      message: problem.reason,
    });
  throw otherwise;
}

/** Returns the write that adds a message to a thread. */
export function messageWrite(
  { owner, id: conversationId }: { readonly owner: string; readonly id: string },
  message: CreatedMessage,
  id: string = newId("msg_"),
): Extract<StoreWrite, { type: "save-thread-object" }> {
  const data = message as unknown as Extract<StoreWrite, { type: "save-thread-object" }>["data"];
  return { type: "save-thread-object", owner, id, conversationId, kind: "message", data };
}
