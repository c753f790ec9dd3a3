import { newId } from "@capstan/core/host";
import { isAccepted, type StoreWrite } from "@capstan/store";
import { conflict } from "../http/errors.ts";
import type { Services } from "../http/services.ts";
import { type CreatedMessage, fileIdsOf } from "./request/parse-message.ts";
import type { ParsedThread } from "./request/parse-thread.ts";
import { requireFiles } from "./require-files.ts";
import { wireThreadId } from "./run-wire.ts";
import { findThread, newThreadWrite, type Thread } from "./thread.ts";

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

/** Creates a thread with its messages, in one commit. */
export async function createThread(
  { runs: { store } }: Services,
  owner: string,
  { messages, metadata: given, resources }: ParsedThread,
): Promise<Thread> {
  const id = newId("conv_");
  const conversation: StoreWrite = {
    type: "create-conversation",
    id,
    owner,
    title: "",
    metadata: given,
    switches: { groups: {}, tools: {} },
  };
  const data = newThreadWrite({ owner, id }, { tool_resources: resources });
  const writes = [conversation, data, ...messages.map((each) => messageWrite({ owner, id }, each))];
  if (!(await store.write(writes)).every(isAccepted))
    throw conflict("The thread could not be created. Try again.");
  return findThread(store, { owner, id: wireThreadId(id) });
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
