import type { ContentPart, Message, Model } from "@capstan/core";
import type { Store } from "@capstan/store";

/**
 * Returns a model that gets images and files as Base64. Messages refer to their bytes until then, so
 * that chains, journals and caches stay small.
 */
export function loadBlobs(model: Model, store: Pick<Store, "readBlob">): Model {
  return {
    id: model.id,
    ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
    ...(model.prices !== undefined && { prices: model.prices }),
    async *stream(request, signal) {
      if (!request.messages.some(refers)) {
        yield* model.stream(request, signal);
        return;
      }
      const messages: Message[] = [];
      for (const message of request.messages)
        messages.push(refers(message) ? await loaded(message, store) : message);
      yield* model.stream({ ...request, messages }, signal);
    },
  };
}

function refers(message: Message): boolean {
  return partsOf(message).some(isReference);
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === "tool") return message.parts ?? [];
  return typeof message.content === "string" ? [] : message.content;
}

function isReference(part: ContentPart): boolean {
  return "source" in part && part.source.type === "blob";
}

async function loaded(message: Message, store: Pick<Store, "readBlob">): Promise<Message> {
  const parts: ContentPart[] = [];
  for (const part of partsOf(message)) parts.push(await loadedPart(part, store));
  if (message.role === "tool") return { ...message, parts };
  return { ...message, content: parts } as Message;
}

async function loadedPart(part: ContentPart, store: Pick<Store, "readBlob">): Promise<ContentPart> {
  if (!("source" in part) || part.source.type !== "blob") return part;
  const bytes = await store.readBlob(part.source.sha256);
  if (bytes === undefined) {
    const name = part.type === "file" ? `file ${part.name}` : "image";
    return {
      type: "text",
      text: `[${name} (${part.mimeType}): its bytes are missing from the store]`,
    };
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { ...part, source: { type: "base64", data } };
}
