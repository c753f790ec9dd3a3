import type { ContentPart } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";
import type { Store } from "@capstan/store";

type Blobs = Pick<Store, "readBlob">;

/**
 * Returns an event with the bytes of the stored images in its result, because the item of an image
 * contains them. Other events are returned unchanged and synchronously.
 *
 * @example for await (const event of stream) projection.push(await withImages(store, event));
 */
export function withImages(store: Blobs, event: RunEvent): RunEvent | Promise<RunEvent> {
  if (event.type !== "call.settled" || event.result.parts?.some(isStoredImage) !== true)
    return event;
  return loadImages(store, event);
}

async function loadImages(
  store: Blobs,
  event: Extract<RunEvent, { type: "call.settled" }>,
): Promise<RunEvent> {
  const parts: ContentPart[] = [];
  for (const part of event.result.parts ?? [])
    parts.push(isStoredImage(part) ? await loadImage(store, part) : part);
  return { ...event, result: { ...event.result, parts } };
}

type StoredImage = Extract<ContentPart, { type: "image" }> & {
  readonly source: { readonly type: "blob"; readonly sha256: string };
};

function isStoredImage(part: ContentPart): part is StoredImage {
  return part.type === "image" && part.source.type === "blob";
}

/** An image that was deleted meanwhile keeps its reference. */
async function loadImage(store: Blobs, part: StoredImage): Promise<ContentPart> {
  const bytes = await store.readBlob(part.source.sha256);
  if (bytes === undefined) return part;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { ...part, source: { type: "base64", data } };
}
