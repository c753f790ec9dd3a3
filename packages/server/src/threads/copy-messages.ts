import type { JsonObject } from "@capstan/core";
import type { Store } from "@capstan/store";
import type { CreatedMessage } from "./request/parse-message.ts";
import type { Attachment } from "./request/tool-resources.ts";
import { messagesOf, type ThreadParts } from "./thread-messages.ts";

/** Returns copies of a thread's messages, those of runs included, to add to another thread. */
export async function copyMessages(
  store: Store,
  parts: ThreadParts,
): Promise<readonly CreatedMessage[]> {
  const copies: CreatedMessage[] = [];
  for await (const message of messagesOf(store, parts, "asc")) {
    const content = message["content"] as readonly JsonObject[];
    if (content.length === 0) continue;
    copies.push({
      type: "created",
      role: message["role"] === "assistant" ? "assistant" : "user",
      content,
      attachments: message["attachments"] as unknown as readonly Attachment[],
      metadata: message["metadata"] as { readonly [key: string]: string },
    });
  }
  return copies;
}
