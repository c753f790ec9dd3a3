import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonValue, Message } from "@capstan/core";
import type { ChainResultRecord } from "@capstan/core/host";
import { type BlobStore, sha256Of } from "./blob-store.ts";

/** A blob that the row of a new run refers to. */
export interface NewBlob {
  readonly sha256: string;
  readonly size: number;
  /** Absent if an earlier run has stored the blob already. */
  readonly bytes?: Uint8Array;
}

/**
 * A list in its stored form. An element `{ blob }` stands for the elements of the JSON array that
 * is stored under that hash. Items and messages have a type, a role or an id, so none looks like a
 * reference.
 */
export type StoredList<T> = readonly (T | BlobElement)[];

/** A reference to the blob of some elements. */
export interface BlobElement {
  readonly blob: string;
}

/**
 * The shortest JSON, in UTF-16 units, that is split. A shorter list stays in its row, and each blob
 * of a longer list has at least this length.
 */
export const inlineLength = 32_768;

/**
 * Splits a long list into blobs and a short rest. It splits from the front: a client that sends its
 * whole history with each request shares the blobs of its earlier requests.
 *
 * @param blobs receives the new blobs
 * @returns the list itself if it is short
 */
export async function splitList<T>(
  list: StoredList<T>,
  blobs: Map<string, NewBlob>,
): Promise<StoredList<T>> {
  if (isShort(list)) return list;
  const parts: BlobElement[] = [];
  let texts: string[] = [];
  let length = 0;
  let from = 0;
  for (const [index, element] of list.entries()) {
    const text = JSON.stringify(element);
    texts.push(text);
    length += text.length;
    if (length < inlineLength) continue;
    const bytes = Buffer.from(`[${texts.join(",")}]`);
    const sha256 = await sha256Of(bytes);
    blobs.set(sha256, { sha256, size: bytes.length, bytes });
    parts.push({ blob: sha256 });
    texts = [];
    length = 0;
    from = index + 1;
    // A list can have many megabytes, so other requests run in between.
    await nextTurn();
  }
  return [...parts, ...list.slice(from)];
}

/**
 * Returns a stored list with the elements of its blobs.
 *
 * @param shared the elements of blobs that were joined before, which are not copied. @default none
 * @throws Error if a blob is missing
 */
export async function joinList<T>(
  list: StoredList<T>,
  blobs: Pick<BlobStore, "get">,
  shared?: Map<string, readonly unknown[]>,
): Promise<readonly T[]> {
  if (!list.some(isBlobElement)) return list as readonly T[];
  const whole: T[] = [];
  for (const element of list) {
    const parts = isBlobElement(element) ? await elementsOf<T>(element, blobs, shared) : [element];
    for (const each of parts) whole.push(each);
  }
  return whole;
}

async function elementsOf<T>(
  element: BlobElement,
  blobs: Pick<BlobStore, "get">,
  shared?: Map<string, readonly unknown[]>,
): Promise<readonly T[]> {
  const known = shared?.get(element.blob) as readonly T[] | undefined;
  if (known !== undefined) return known;
  const elements: T[] = [];
  for await (const part of partsOfList<T>([element], blobs))
    for (const each of part) elements.push(each);
  shared?.set(element.blob, elements);
  return elements;
}

/**
 * Returns the elements of a stored list in parts: the elements of one blob, or those between two
 * blobs.
 *
 * @throws Error if a blob is missing
 */
export async function* partsOfList<T>(
  list: StoredList<T>,
  blobs: Pick<BlobStore, "get">,
): AsyncGenerator<readonly T[]> {
  let inline: T[] = [];
  for (const element of list) {
    if (!isBlobElement(element)) {
      inline.push(element);
      continue;
    }
    if (inline.length > 0) yield inline;
    inline = [];
    const bytes = await blobs.get(element.blob);
    if (bytes === undefined) throw missingBlob(element.blob);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    yield* partsOfList(JSON.parse(text) as StoredList<T>, blobs);
  }
  if (inline.length > 0) yield inline;
}

/** Whether a blob has elements of a list and is not an image or a file. Reads its first byte only. */
export async function isListBlob(
  sha256: string,
  blobs: Pick<BlobStore, "stream">,
): Promise<boolean> {
  for await (const bytes of (await blobs.stream(sha256, { from: 0, to: 1 })) ?? [])
    if (bytes.length > 0) return bytes[0] === "[".charCodeAt(0);
  return false;
}

/** Returns the error for a blob that the store has lost. */
export function missingBlob(sha256: string): Error {
  return new Error(
    `an input of this run is missing from the store (blob ${sha256}). "capstan db check" lists the damage; restore the last backup`,
  );
}

/** Returns whether an element of a stored list is a reference to a blob. */
export function isBlobElement(element: unknown): element is BlobElement {
  return typeof element === "object" && element !== null && "blob" in element && isOnlyKey(element);
}

function isOnlyKey(element: object): boolean {
  return Object.keys(element).length === 1;
}

/** Estimates whether a value's JSON is short enough for a row. Stops as soon as it is too long. */
export function isShort(value: unknown): boolean {
  return lengthLeft(value, inlineLength) >= 0;
}

function lengthLeft(value: unknown, left: number): number {
  if (typeof value === "string") return left - value.length - 2;
  if (typeof value !== "object" || value === null) return left - 5;
  let rest = left - 2;
  for (const name in value) {
    rest = lengthLeft((value as Readonly<Record<string, unknown>>)[name], rest - 4 - name.length);
    if (rest < 0) break;
  }
  return rest;
}

/** The blobs that parts of messages refer to: images and files of users. */
export function blobsOfMessages(messages: readonly Message[]): readonly NewBlob[] {
  return messages.flatMap((message) => {
    const parts =
      message.role === "tool" ? message.parts : "content" in message ? message.content : undefined;
    if (parts === undefined || typeof parts === "string") return [];
    return parts.flatMap((part) =>
      "source" in part && part.source.type === "blob"
        ? { sha256: part.source.sha256, size: part.source.size }
        : [],
    );
  });
}

const previewItems = 20;
const previewText = 1_000;

/** Returns the last items with their texts truncated, as lists show a long input. */
export function previewOf(items: readonly JsonValue[]): readonly JsonValue[] {
  const preview: JsonValue[] = [];
  for (const item of items.slice(-previewItems).toReversed()) {
    const cut = cutTexts(item, { left: 200 });
    if (!isShort([...preview, cut])) break;
    preview.unshift(cut);
  }
  return preview;
}

/**
 * @param values the number of values that can still be copied
 */
function cutTexts(value: JsonValue, values: { left: number }): JsonValue {
  values.left -= 1;
  if (typeof value === "string")
    return value.length <= previewText ? value : `${value.slice(0, previewText).toWellFormed()}…`;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const some: JsonValue[] = [];
    for (const each of value as readonly JsonValue[]) {
      if (values.left <= 0) break;
      some.push(cutTexts(each, values));
    }
    return some;
  }
  const copy: { [name: string]: JsonValue } = {};
  for (const [name, member] of Object.entries(value)) {
    if (values.left <= 0) break;
    copy[name] = cutTexts(member, values);
  }
  return copy;
}

/** The texts of a result. They can be long; only a run that continues this one reads them. */
export type ResultReplay = Pick<ChainResultRecord, "answer" | "log">;

/** A result as its row stores it. */
export interface EncodedResult {
  readonly result: string;
  /** A `ResultReplay` as JSON if it is long; otherwise it is in `result`. */
  readonly replay?: string;
}

/** Encodes a chain's result; a long answer and log are separated from it. */
export function encodeResult(
  given: ChainResultRecord,
  toJson: (value: unknown) => string = JSON.stringify,
): EncodedResult {
  const { answer, log, ...rest } = given;
  if (answer.length + (log?.replay.length ?? 0) < inlineLength) return { result: toJson(given) };
  const replay: ResultReplay = { answer, ...(log && { log }) };
  return { result: toJson(rest), replay: toJson(replay) };
}
