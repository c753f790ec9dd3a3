import { setImmediate as nextTurn } from "node:timers/promises";
import type { ContentPart, Message, Model } from "@capstan/core";
import { neutralise } from "@capstan/core/host";
import type { Store } from "@capstan/store";

/** Requests with more messages are prepared in several turns of the event loop. */
const manyMessages = 1_000;

/**
 * Largest total size of images and files in one model request, in bytes; the newest are sent.
 * Providers accept less.
 */
const maxBytes = 100_000_000;

/**
 * Returns a model that receives images and files as Base64. Until then messages contain only
 * references to the bytes, so that chains, journals and caches stay small. If the total exceeds 100
 * MB, texts with their names replace the oldest images and files.
 */
export function loadBlobs(model: Model, store: Pick<Store, "readBlob">): Model {
  return {
    id: model.id,
    ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
    ...(model.prices !== undefined && { prices: model.prices }),
    async *stream(request, signal) {
      // The chain has already iterated over all messages in this turn of the event loop.
      if (request.messages.length > manyMessages) await nextTurn();
      if (!request.messages.some(refers)) {
        yield* model.stream(request, signal);
        return;
      }
      const left = { bytes: maxBytes };
      const messages: Message[] = [];
      for (const message of request.messages.toReversed())
        messages.unshift(refers(message) ? await loaded(message, store, left) : message);
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

async function loaded(
  message: Message,
  store: Pick<Store, "readBlob">,
  left: { bytes: number },
): Promise<Message> {
  const parts: ContentPart[] = [];
  for (const part of partsOf(message).toReversed())
    parts.unshift(await loadedPart(part, store, left));
  if (message.role === "tool") return { ...message, parts };
  return { ...message, content: parts } as Message;
}

async function loadedPart(
  part: ContentPart,
  store: Pick<Store, "readBlob">,
  left: { bytes: number },
): Promise<ContentPart> {
  if (!("source" in part) || part.source.type !== "blob") return part;
  const { sha256, size } = part.source;
  left.bytes -= size;
  const bytes = left.bytes < 0 ? undefined : await store.readBlob(sha256);
  if (bytes === undefined) {
    const name = part.type === "file" ? `file ${neutralise(part.name)}` : "image";
    const why =
      left.bytes < 0
        ? "not sent again, because newer images and files use up the limit of 100 MB"
        : "its bytes are missing from the store";
    return { type: "text", text: `[${name} (${neutralise(part.mimeType)}): ${why}]` };
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { ...part, source: { type: "base64", data } };
}
