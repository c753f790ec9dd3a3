import type { ConversationRecord, Store } from "@capstan/store";
import { notFound } from "./request-error.ts";

/**
 * Returns the conversation that a request names. Lists use it, too: an empty list of an unknown
 * conversation would mean that nothing waits in it.
 *
 * @throws RequestError 404 if it does not exist or has another owner
 */
export async function findConversation(
  store: Store,
  owner: string,
  id: string,
): Promise<ConversationRecord> {
  const conversation = await store.getConversation({ owner, id });
  if (conversation === undefined) throw notFound("conversation", id);
  return conversation;
}
