import type { ConversationRecord, Store } from "@capstan/store";
import { notFound } from "./request-refused.ts";

/**
 * The conversation that a request names. A list asked for one that is not there, or another's, is
 * refused too: an empty one would say that nothing waits in it.
 *
 * @throws RequestRefused 404
 */
export async function knownConversation(
  store: Store,
  owner: string,
  id: string,
): Promise<ConversationRecord> {
  const conversation = await store.getConversation({ owner, id });
  if (conversation === undefined) throw notFound("conversation", id);
  return conversation;
}
