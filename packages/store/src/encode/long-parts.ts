import { createHash, randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { VariableChange } from "@capstan/core";
import { jsonChunks } from "@capstan/core/base";
import type { VariableValue } from "@capstan/core/host";
import type { RunJournalWrite, StoreWrite } from "../records/store-writes.ts";

/** A long value in the form of its row. */
export interface EncodedValue {
  readonly json: string;
  /** The SHA-256 of the JSON, in lower-case hexadecimal digits. */
  readonly digest: string;
  /** UTF-8 bytes of the JSON. */
  readonly bytes: number;
}

/** The long parts of some writes, which were encoded before their commit. */
export interface LongParts {
  readonly values: ReadonlyMap<VariableValue, EncodedValue>;
  /** The JSON of long texts in events, messages, calls and results. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Values of variables with more bytes, and texts with more UTF-16 units, are encoded in slices. */
const longLength = 262_144;

/** Milliseconds that one slice of the encoding can take. */
const sliceMs = 5;

/**
 * Encodes the long values of variables and the long texts of other writes in slices, because one
 * with many megabytes would otherwise block the event loop. Values that cannot be encoded are
 * omitted: the commit reports the error.
 *
 * @returns undefined if there are none, so that short commits need not wait
 */
export function encodeLongParts(
  requests: readonly { readonly writes: readonly StoreWrite[] }[],
): Promise<LongParts> | undefined {
  const values = new Set<VariableValue>();
  const texts = new Set<string>();
  for (const { writes } of requests)
    for (const write of writes) {
      for (const change of changesOf(write))
        if (change.type === "set" && change.variable.bytes > longLength)
          values.add(change.variable.value);
      if (write.type !== "journal") continue;
      for (const each of write.writes) if (canBeLong(each)) addTexts(each, texts);
    }
  return values.size + texts.size === 0 ? undefined : encodeAll(values, texts);
}

function changesOf(write: StoreWrite): readonly VariableChange[] {
  if (write.type === "edit-variables") return write.changes;
  if (write.type !== "journal") return [];
  return write.writes.flatMap((each) => (each.type === "variable" ? each.change : []));
}

/** The frequent writes that have no long text are skipped. */
function canBeLong(write: RunJournalWrite): boolean {
  if (write.type === "variable") return false;
  return write.type !== "event" || write.event.type !== "item.delta";
}

function addTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === "string") {
    if (value.length > longLength) texts.add(value);
  } else if (typeof value === "object" && value !== null)
    for (const name in value) addTexts((value as Readonly<Record<string, unknown>>)[name], texts);
}

async function encodeAll(
  given: ReadonlySet<VariableValue>,
  givenTexts: ReadonlySet<string>,
): Promise<LongParts> {
  const values = new Map<VariableValue, EncodedValue>();
  const texts = new Map<string, string>();
  for (const value of given) {
    try {
      values.set(value, await encodeInSlices(value));
    } catch {
      // The encoder of the commit throws the same error for its request only.
    }
  }
  for (const text of givenTexts) texts.set(text, await textInSlices(text));
  return { values, texts };
}

async function encodeInSlices(value: VariableValue): Promise<EncodedValue> {
  const hash = createHash("sha256");
  let bytes = 0;
  const json = await joinInSlices(jsonChunks(value), (piece) => {
    hash.update(piece);
    bytes += Buffer.byteLength(piece);
  });
  return { json, digest: hash.digest("hex"), bytes };
}

async function textInSlices(text: string): Promise<string> {
  // The list around the text makes it plain data of `jsonChunks`.
  return (await joinInSlices(jsonChunks([text]))).slice(1, -1);
}

async function joinInSlices(
  chunks: Iterable<string>,
  onPiece: (piece: string) => void = () => {},
): Promise<string> {
  const pieces: string[] = [];
  let began = performance.now();
  for (const piece of chunks) {
    pieces.push(piece);
    onPiece(piece);
    if (performance.now() - began < sliceMs) continue;
    await nextTurn();
    began = performance.now();
  }
  // The copies of the whole text, here and in the commit, get turns of their own.
  await nextTurn();
  const json = pieces.join("");
  await nextTurn();
  return json;
}

/** Returns the JSON of a value, like `JSON.stringify`. */
export type ToJson = (value: unknown) => string;

const mark = `long-${randomUUID()}-`;
const marked = new RegExp(`"${mark}(\\d+)"`, "g");

/** Returns a function that uses the long texts that are already encoded. */
export function toJsonWith(long: LongParts | undefined): ToJson {
  if (long === undefined || long.texts.size === 0) return JSON.stringify;
  const { texts } = long;
  return (value) => {
    const used: string[] = [];
    // Replaces each long text by a mark, which no other text can contain.
    const json = JSON.stringify(value, (_name, member: unknown) => {
      const known = typeof member === "string" ? texts.get(member) : undefined;
      return known === undefined ? member : `${mark}${used.push(known) - 1}`;
    });
    return used.length === 0 ? json : json.replaceAll(marked, (_all, n) => used[Number(n)] ?? "");
  };
}
