import type { JsonValue } from "@capstan/core";
import type { NewRun, Store } from "@capstan/store";
import { asStoredData, StoredData } from "../http/stored-data.ts";
import type { InputContent, InputItem } from "./request/input-item.ts";

const carriers = ["image_url", "file_data", "file_url", "video_url"] as const;

/** Items as JSON, with references in place of the bytes of images and files, and those bytes. */
export function storedItems(items: readonly InputItem[]): {
  readonly items: readonly JsonValue[];
  readonly blobs: NonNullable<NewRun["blobs"]>;
} {
  const blobs: NonNullable<NewRun["blobs"]>[number][] = [];
  const plain = items.map((item) =>
    withParts(item, (part) =>
      changed(part, (value) => {
        if (!(value instanceof StoredData)) return value;
        const { sha256, size, bytes } = value;
        blobs.push({ sha256, size, ...(bytes && { bytes }) });
        return value.toJSON();
      }),
    ),
  );
  return { items: plain as unknown as readonly JsonValue[], blobs };
}

/** Items as they were stored, with references made of their JSON: an input that is parsed again. */
export function withReferences(items: readonly JsonValue[]): readonly JsonValue[] {
  return items.map((item) =>
    withParts(item, (part) => changed(part, (value) => asStoredData(value) ?? value)),
  );
}

/** An item as a client sent it, with its images and files. */
export async function withBytes<Item extends object>(
  item: Item,
  store: Pick<Store, "readBlob">,
): Promise<Item> {
  const texts = new Map<unknown, string | null>();
  const load: Promise<void>[] = [];
  withParts(item, (part) =>
    changed(part, (value) => {
      const data = value instanceof StoredData ? value : asStoredData(value);
      if (data !== undefined)
        load.push(textOf(data, store).then((text) => void texts.set(value, text)));
      return value;
    }),
  );
  if (load.length === 0) return item;
  await Promise.all(load);
  return withParts(item, (part) =>
    changed(part, (value) => (texts.has(value) ? texts.get(value) : value)),
  );
}

/** Null if the bytes are missing from the store. */
async function textOf(
  { sha256, prefix }: StoredData,
  store: Pick<Store, "readBlob">,
): Promise<string | null> {
  const bytes = await store.readBlob(sha256);
  if (bytes === undefined) return null;
  return prefix + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** Changes the parts of a message or of a call's output; of other items there are none. */
function withParts<Item>(item: Item, change: (part: InputContent) => unknown): Item {
  if (typeof item !== "object" || item === null || !("type" in item)) return item;
  const name = item.type === "message" ? "content" : "output";
  if (item.type !== "message" && !/^(function|custom_tool)_call_output$/.test(String(item.type)))
    return item;
  const parts = (item as { readonly [name: string]: unknown })[name];
  if (!Array.isArray(parts)) return item;
  return { ...item, [name]: (parts as readonly InputContent[]).map(change) };
}

function changed(part: InputContent, change: (value: unknown) => unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  const copy: { [name: string]: unknown } = { ...part };
  for (const name of carriers) if (copy[name] !== undefined) copy[name] = change(copy[name]);
  return copy;
}
