import { setImmediate as nextTurn } from "node:timers/promises";
import type { ContentPart, Message, Model, ModelEvent, ModelRequest } from "@capstan/core";
import { neutralise } from "@capstan/core/host";
import type { Store } from "@capstan/store";
import { type DocumentCache, documentText } from "./document-text.ts";

/** With more messages than this, the model's request is prepared in a turn of its own. */
const manyMessages = 1_000;

/**
 * Largest total size of images and files in one model request, in bytes; the newest are sent.
 * Providers accept less.
 */
const maxBytes = 100_000_000;

/**
 * Returns a model that receives images and files as Base64. Until then messages contain only
 * references to the bytes, so that chains, journals and caches stay small. If the total exceeds 100
 * MB, texts with their names replace the oldest images and files. Documents that the model does not
 * take are converted to Markdown.
 */
export function loadFiles(model: Model, sources: FileSources): Model {
  const { readsFile } = model;
  return {
    ...model,
    stream(request, signal) {
      const load: Loading = { ...sources, readsFile, signal, left: { bytes: maxBytes } };
      const isLong = request.messages.length > manyMessages;
      return isLong || request.messages.some((message) => changes(message, load))
        ? streamLoaded(model, request, load)
        : model.stream(request, signal);
    },
  };
}

async function* streamLoaded(
  model: Model,
  request: ModelRequest,
  load: Loading,
): AsyncGenerator<ModelEvent> {
  // The chain has already iterated over all messages in this turn of the event loop.
  if (request.messages.length > manyMessages) await nextTurn();
  const messages: Message[] = [];
  for (const message of request.messages.toReversed())
    messages.push(changes(message, load) ? await loaded(message, load) : message);
  yield* model.stream({ ...request, messages: messages.toReversed() }, load.signal);
}

function changes(message: Message, load: Loading): boolean {
  return partsOf(message).some((part) => isChanged(part, load));
}

/** The sources of `loadFiles`: stored bytes, and a converter of documents. */
export interface FileSources {
  readonly store: Pick<Store, "readBlob">;
  /** @default documents are not converted */
  readonly documents?: DocumentCache | undefined;
}

/** The state while the files of one request are loaded. */
interface Loading extends FileSources {
  readonly readsFile: Model["readsFile"];
  readonly signal: AbortSignal;
  /** The bytes that may still be loaded. */
  readonly left: { bytes: number };
}

function isChanged(part: ContentPart, load: Loading): boolean {
  return isReference(part) || isDocument(part, load);
}

type FilePart = Extract<ContentPart, { type: "file" }>;

/** Whether a file is a document that the model does not take. */
function isDocument(part: ContentPart, { documents, readsFile }: Loading): part is FilePart {
  return (
    part.type === "file" &&
    part.source.type !== "url" &&
    readsFile?.(part.mimeType) === false &&
    documents?.isConvertible(part) === true
  );
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === "tool") return message.parts ?? [];
  return typeof message.content === "string" ? [] : message.content;
}

function isReference(part: ContentPart): boolean {
  return "source" in part && part.source.type === "blob";
}

async function loaded(message: Message, load: Loading): Promise<Message> {
  const parts: ContentPart[] = [];
  for (const part of partsOf(message).toReversed()) parts.push(await loadedPart(part, load));
  if (message.role === "tool") return { ...message, parts: parts.toReversed() };
  return { ...message, content: parts.toReversed() } as Message;
}

async function loadedPart(part: ContentPart, load: Loading): Promise<ContentPart> {
  if (!isChanged(part, load) || !("source" in part)) return part;
  const { source } = part;
  if (source.type === "url") return part;
  const { documents, left, signal, store } = load;
  if (source.type === "blob") {
    left.bytes -= source.size;
    if (left.bytes < 0)
      return omitted(
        part,
        "not sent again, because newer images and files use up the limit of 100 MB",
      );
  }
  const read = async (): Promise<Uint8Array | undefined> =>
    source.type === "base64" ? Buffer.from(source.data, "base64") : store.readBlob(source.sha256);
  if (documents !== undefined && isDocument(part, load)) {
    const { name, mimeType } = part;
    const text = await documents.convert({ name, mimeType, source, read, signal });
    return text === undefined ? omitted(part, missing) : documentText(part, text);
  }
  const bytes = await read();
  if (bytes === undefined) return omitted(part, missing);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { ...part, source: { type: "base64", data } };
}

const missing = "its bytes are missing from the store";

/** Returns a text in place of an image or a file. */
function omitted(
  part: Extract<ContentPart, { type: "image" | "file" }>,
  reason: string,
): ContentPart {
  const name = part.type === "file" ? `file ${neutralise(part.name)}` : "image";
  return { type: "text", text: `[${name} (${neutralise(part.mimeType)}): ${reason}]` };
}
