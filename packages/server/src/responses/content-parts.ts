import { randomUUID } from "node:crypto";
import { dataSource } from "../http/data-source.ts";
import { mimeTypeOf } from "../runs/files/file-name.ts";
import type { ContentPart, JsonValue } from "@capstan/core";
import type { FilePart, ImagePart } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import type { NewRun, Store } from "@capstan/store";
import { asNamedFile, NamedFile } from "../http/files/stored-files.ts";
import { asStoredData, carriers, StoredData } from "../http/read-body.ts";
import type { InputContent, InputItem } from "./request/parse-input.ts";
import { tooLong } from "../http/errors.ts";

/** Returns content as a model's message: a string if it is text only, otherwise parts. */
export function messageContent(content: readonly InputContent[]): string | readonly ContentPart[] {
  const parts = content.map(contentPart);
  const texts = parts.map((part) => (part.type === "text" ? part.text : undefined));
  return texts.includes(undefined) ? parts : texts.join("\n");
}

/** Returns the parts of a content that can be read as text. */
export function contentText(content: readonly InputContent[]): string {
  return content
    .map(contentPart)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

export function contentPart(part: InputContent): ContentPart {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "text", text: part.refusal };
    case "input_image":
      return imagePart(part);
    case "input_file":
      return filePart(part);
    case "input_video":
      return { type: "file", name: "video", ...sourceOf(part.video_url, "video/*") };
  }
}

function imagePart({
  image_url: url,
  file_id: file,
  detail,
}: Extract<InputContent, { type: "input_image" }>): ImagePart {
  if (file !== undefined) return { type: "image", detail, ...partOf(file) };
  return { type: "image", detail, ...sourceOf(url ?? "", "image/*") };
}

/** The bytes are stored with the input's items, see `storedItems`. */
function sourceOf(...given: Parameters<typeof dataSource>): Pick<FilePart, "source" | "mimeType"> {
  const { source, mimeType } = dataSource(...given);
  return { source, mimeType };
}

function filePart(part: Extract<InputContent, { type: "input_file" }>): FilePart {
  const { filename, file_data: data, file_url: url, file_id: file } = part;
  if (file !== undefined) {
    const part = partOf(file);
    return { type: "file", ...part, name: filename ?? part.name };
  }
  const name = filename ?? nameInUrl(url) ?? "file";
  const mimeType = mimeTypeOf(name);
  if (url !== undefined) return { type: "file", name, ...sourceOf(url, mimeType) };
  return { type: "file", name, ...sourceOf(data ?? "", mimeType, "base64") };
}

/** Returns the fields of a part with a stored file. */
function partOf({ id, name, mimeType, source }: NamedFile) {
  return { name, mimeType, source, fileId: id };
}

function nameInUrl(url: string | StoredData | undefined): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const name = new URL(url).pathname.split("/").at(-1);
  return name === "" ? undefined : name;
}

/** @throws RequestError if an output in the input exceeds the limit of characters */
export function checkOutputSize(input: readonly InputItem[], mostChars: number): void {
  for (const [index, item] of input.entries()) {
    const chars = outputChars(item);
    if (chars <= mostChars) continue;
    const param = `input[${index}].output`;
    throw tooLong(
      param,
      `${param}: ${chars} characters for call ${callIdOf(item).slice(0, 100)}, the limit for one output is ${mostChars}. Nothing was stored, and the call can still be answered: send only the relevant part, or a reference to the full output.`,
    );
  }
}

function outputChars(item: InputItem): number {
  switch (item.type) {
    case "function_call_output":
    case "custom_tool_call_output":
      return charsOf(item.output);
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return item.output?.length ?? 0;
    case "shell_call_output":
      return JSON.stringify(item.output).length;
    default:
      return 0;
  }
}

function callIdOf(item: InputItem): string {
  return "call_id" in item ? (item.call_id ?? "") : "";
}

function charsOf(output: string | readonly InputContent[]): number {
  if (typeof output === "string") return output.length;
  return output.reduce((sum, part) => sum + partChars(part), 0);
}

/** Returns the length of a part in characters, including its `data:` URL or Base64. */
function partChars(part: InputContent): number {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return part.text.length;
    case "refusal":
      return part.refusal.length;
    case "input_image":
      return part.image_url?.length ?? 0;
    case "input_file":
      return (part.file_data?.length ?? 0) + (part.file_url?.length ?? 0);
    case "input_video":
      return part.video_url.length;
  }
}

/**
 * Returns items as JSON, in which references replace the bytes of images and files, and those
 * bytes.
 */
export function storedItems(items: readonly InputItem[]): {
  readonly items: readonly JsonValue[];
  readonly blobs: NonNullable<NewRun["blobs"]>;
} {
  const blobs: NonNullable<NewRun["blobs"]>[number][] = [];
  const plain = items.map((item) =>
    withParts(item, (part) =>
      changed(part, (value) => {
        if (value instanceof NamedFile) {
          blobs.push(value.blob);
          return value.toJSON();
        }
        if (!(value instanceof StoredData)) return value;
        const { sha256, size, bytes } = value;
        blobs.push({ sha256, size, ...(bytes && { bytes }) });
        return value.toJSON();
      }),
    ),
  );
  return { items: plain as unknown as readonly JsonValue[], blobs };
}

/**
 * Returns stored items with their references restored from JSON, so that they can be parsed again.
 */
export function withReferences(items: readonly JsonValue[]): readonly JsonValue[] {
  return items.map((item) =>
    withParts(item, (part) =>
      changed(part, (value) => asStoredData(value) ?? asNamedFile(value) ?? value),
    ),
  );
}

/** Number of bytes that are encoded as one piece of Base64. */
const sliceBytes = 65_536;

/**
 * Yields the JSON of an item as its client sent it, in pieces. Images and files are read while they
 * are sent; bytes that the store lacks become an empty string.
 */
export async function* itemChunks(
  item: object,
  store: Pick<Store, "streamBlob">,
): AsyncGenerator<string> {
  const marker = randomUUID();
  const found: StoredData[] = [];
  const marked = withParts(item, (part) =>
    changed(part, (value) => {
      const file = asNamedFile(value);
      if (file !== undefined) return file.id;
      const data = value instanceof StoredData ? value : asStoredData(value);
      if (data === undefined) return value;
      found.push(data);
      return marker;
    }),
  );
  if (found.length === 0) return yield* jsonChunks(marked);
  const [first = "", ...rest] = JSON.stringify(marked).split(marker);
  yield first;
  for (const [index, data] of found.entries()) {
    yield JSON.stringify(data.prefix).slice(1, -1);
    yield* base64Chunks((await store.streamBlob(data.sha256)) ?? []);
    yield rest[index] ?? "";
  }
}

/**
 * Encodes groups of three bytes; the bytes left over from a piece are encoded with the next one.
 */
async function* base64Chunks(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  let left: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += sliceBytes) {
      const bytes = Buffer.concat([left, piece.subarray(from, from + sliceBytes)]);
      const whole = bytes.length - (bytes.length % 3);
      left = bytes.subarray(whole);
      yield bytes.toString("base64", 0, whole);
    }
  }
  yield Buffer.from(left).toString("base64");
}

/** Changes the parts of a message or of a call's output. Other items have no parts. */
function withParts<Item>(item: Item, change: (part: InputContent) => unknown): Item {
  if (typeof item !== "object" || item === null || !("type" in item)) return item;
  const name = item.type === "message" ? "content" : "output";
  const hasOutput =
    typeof item.type === "string" && /^(function|custom_tool)_call_output$/.test(item.type);
  if (item.type !== "message" && !hasOutput) return item;
  const parts = (item as { readonly [name: string]: unknown })[name];
  if (!Array.isArray(parts)) return item;
  return { ...item, [name]: (parts as readonly InputContent[]).map(change) };
}

function changed(part: InputContent, change: (value: unknown) => unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  const copy: { [name: string]: unknown } = { ...part };
  for (const name of [...carriers, "file_id"])
    if (copy[name] !== undefined) copy[name] = change(copy[name]);
  return copy;
}
