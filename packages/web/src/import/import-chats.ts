import type { ConversationView } from "@capstan/contract";
import type { Client } from "@capstan/client";
import type { ImportedChat, ImportedMessage, ImportSource } from "./imported-chat.ts";

/** The member of a conversation's metadata with the id of its import. */
export const importKey = "capstan_import";

type Api = Pick<
  Client,
  "createConversation" | "addMessages" | "deleteConversation" | "conversations"
>;

/** The maximum number of messages, and of their characters, in a request. */
const mostMessages = 20;
const mostLength = 400_000;

/**
 * Creates a conversation for each chat. If a request fails or `signal` aborts, the conversations
 * that were created are deleted again, so that an import is complete or leaves no conversations.
 *
 * @param options.onProgress called with the number of imported chats
 * @throws the error of the request
 */
export async function importChats(
  api: Api,
  {
    id,
    source,
    chats,
    signal,
    onProgress,
  }: {
    readonly id: string;
    readonly source: ImportSource;
    readonly chats: readonly ImportedChat[];
    readonly signal: AbortSignal;
    readonly onProgress: (imported: number) => void;
  },
): Promise<void> {
  const created: ConversationView[] = [];
  try {
    for (const [index, { title, createdAt, messages }] of chats.entries()) {
      signal.throwIfAborted();
      const conversation = await api.createConversation(
        {
          title: title || (messages[0]?.text.split("\n", 1)[0]?.slice(0, 80) ?? ""),
          metadata: {
            [importKey]: id,
            imported_from: source,
            ...(createdAt !== null && { created: new Date(createdAt).toISOString() }),
          },
        },
        signal,
      );
      created.push(conversation);
      for (const batch of batchesOf(messages))
        await api.addMessages(
          conversation.id,
          batch.map(({ role, text }) => ({ role, content: text })),
          signal,
        );
      onProgress(index + 1);
    }
  } catch (thrown) {
    for (const { id: conversation } of created)
      await api.deleteConversation(conversation).catch(() => {});
    throw thrown;
  }
}

/** Divides messages into requests. A longer message gets its own request. */
export function batchesOf(messages: readonly ImportedMessage[]): readonly ImportedMessage[][] {
  const batches: ImportedMessage[][] = [];
  let length = 0;
  for (const message of messages) {
    const batch = batches.at(-1);
    length += message.text.length;
    if (batch !== undefined && batch.length < mostMessages && length <= mostLength) {
      batch.push(message);
    } else {
      batches.push([message]);
      length = message.text.length;
    }
  }
  return batches;
}

/**
 * Deletes all conversations of an import.
 *
 * @returns their number
 */
export async function undoImport(api: Api, id: string): Promise<number> {
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await api.conversations({ limit: 100, ...(after !== undefined && { after }) });
    for (const entry of page.data)
      if (entry.object === "conversation" && entry.metadata[importKey] === id) found.push(entry.id);
    if (!page.has_more || page.last_id === null || page.last_id === after) break;
    after = page.last_id;
  }
  for (const conversation of found) await api.deleteConversation(conversation);
  return found.length;
}
