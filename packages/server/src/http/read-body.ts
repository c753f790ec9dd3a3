/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is not a window */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { findRepeatedKey, measureJson, type RepeatedKey } from "@capstan/core/base";
import type { Context } from "hono";
import type { z } from "zod";
import { decodedBody } from "./decode-body.ts";
import { badRequest, RequestError } from "./errors.ts";
import { growBody } from "./memory-budget.ts";

// The thread that parses long bodies loads this file, so keep its imports small.

/**
 * The bodies that were read: a request's stream can be read only once, but several functions need
 * its JSON.
 */
const bodies = new WeakMap<Request, Promise<ReadBody>>();

interface ReadBody {
  readonly value: unknown;
  /** The digest of the bytes; empty unless the request can be repeated. */
  readonly digest: string;
}

/** Returns a request's JSON. An empty body is an empty object. */
export async function readJson(context: Context): Promise<unknown> {
  return (await readOnce(context)).value;
}

/** Sets the JSON of a request, which was parsed elsewhere. The request's body is then not read. */
export function setJson(request: Request, value: unknown): void {
  bodies.set(request, Promise.resolve({ value, digest: "" }));
}

/**
 * Returns whether a request can be repeated: it has an idempotency key, or OpenAI's client sends a
 * retry count.
 */
export function mayRepeat({ req }: Context): boolean {
  return (
    req.header("idempotency-key") !== undefined ||
    req.header("x-stainless-retry-count") !== undefined
  );
}

/** Returns the digest of the body of a request that can be repeated. */
export async function bodyDigest(context: Context): Promise<string> {
  return (await readOnce(context)).digest;
}

async function readOnce(context: Context): Promise<ReadBody> {
  const { raw } = context.req;
  const body = bodies.get(raw) ?? parseAndDigest(context);
  bodies.set(raw, body);
  try {
    return await body;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const message = `The body is not valid JSON: ${thrown.message}`;
    throw new RequestError({ code: "invalid_json", message });
  }
}

async function parseAndDigest(context: Context): Promise<ReadBody> {
  const hash = mayRepeat(context) ? createHash("sha256") : undefined;
  const onSize = (size: number) => growBody(context, size);
  const value = await parseBody(context.req.raw, { hash, onSize });
  return { value, digest: hash?.digest("hex") ?? "" };
}

/** Returns a request's JSON after validation; unknown fields are ignored. */
export async function readBody<S extends z.ZodType>(
  context: Context,
  schema: S,
): Promise<z.output<S>> {
  const result = schema.safeParse(await readJson(context));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = issue?.path.join(".") || "request";
  throw badRequest(param, `${param}: ${issue?.message ?? "is not valid"}`);
}

/** Returns the members that are not null: in requests null means "not given". */
export function withoutNulls<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(value).filter(([, member]) => member != null);
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** Returns an integer from the query, within bounds. */
export function readNumber(
  context: Context,
  name: string,
  {
    min,
    max = Number.MAX_SAFE_INTEGER,
    otherwise,
  }: { readonly min: number; readonly max?: number; readonly otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const expected = `expected a whole number from ${min} to ${max}`;
  throw badRequest(name, `${name}: ${expected}, got "${text.slice(0, 40)}".`);
}

/**
 * Returns one of the allowed words from the query, or `undefined` if the query does not have it.
 */
export function readWord<const Word extends string>(
  context: Context,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = context.req.query(name);
  const word = words.find((known) => known === text);
  if (text === undefined || word !== undefined) return word;
  const expected = words.length < 3 ? words.join(" or ") : `one of ${words.join(", ")}`;
  throw badRequest(name, `${name}: expected ${expected}, got "${text.slice(0, 40)}".`);
}

/**
 * A thread parses bodies with more bytes, because parsing them here would block all other requests.
 */
const longBytes = 1_048_576;

/** Milliseconds after which an idle thread ends and frees its memory. */
const idleMs = 5_000;

/** A body for the thread to parse, in an unlinked file. */
export interface BodyToParse {
  readonly file: number;
  readonly size: number;
}

export type ParsedBody =
  | { readonly value: unknown; readonly taken: readonly TakenData[] }
  /** The JSON parser's message; undefined if the body has too many values. */
  | { readonly error: string | undefined };

/**
 * Reads a request's JSON. Images and files in it become `StoredData`. A long body is written to a
 * file while it arrives, so that many slow clients use no memory, and a thread parses it.
 *
 * @throws SyntaxError if it is not JSON
 */
export async function parseBody(
  request: Request,
  {
    hash,
    onSize,
  }: {
    readonly hash?: Hash | undefined;
    /** Called with the number of bytes received so far; can throw to reject the body. */
    readonly onSize?: ((size: number) => void) | undefined;
  } = {},
): Promise<unknown> {
  return parsePieces(decodedBody(request), { hash, onSize });
}

/**
 * Parses JSON that is already in memory, with the limits of `parseBody`.
 *
 * @throws SyntaxError if it is not JSON
 */
export async function parseBytes(bytes: Uint8Array): Promise<unknown> {
  return bytes.length <= longBytes ? parseShort(bytes) : parsePieces([bytes], {});
}

async function parsePieces(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { hash, onSize }: NonNullable<Parameters<typeof parseBody>[1]>,
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of pieces) {
      size += chunk.length;
      onSize?.(size);
      hash?.update(chunk);
      chunks.push(chunk);
      if (size <= longBytes) continue;
      file ??= await openUnnamed();
      for (const each of chunks.splice(0)) await file.writeFile(each);
    }
    if (file === undefined) return parseShort(Buffer.concat(chunks));
    const parsed = await inThread({ file: file.fd, size });
    // Receiving a long parsed body blocks the event loop for a while.
    await nextTurn();
    if ("error" in parsed)
      throw parsed.error === undefined ? tooManyValues : new SyntaxError(parsed.error);
    return withData(parsed.value, parsed.taken);
  } finally {
    await file?.close();
  }
}

function parseShort(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const { value, taken } = parseJson(bytes);
  return withData(value, taken);
}

/** Functions that walk JSON recurse at each level, so more levels could overflow the stack. */
const maxLevels = 1_000;

/** Each value, however short, blocks the event loop for some microseconds before the run starts. */
const maxValues = 50_000;

/**
 * Parses JSON, and extracts the images and files from it.
 *
 * @throws as `parseLimited`
 */
export function parseJson(bytes: Uint8Array): {
  readonly value: unknown;
  readonly taken: readonly TakenData[];
} {
  const value = parseLimited(bytes);
  return { value, taken: takeData(value) };
}

/**
 * Parses JSON of limited depth and number of values. An empty text is an empty object.
 *
 * @throws SyntaxError if it is not JSON, is nested too deeply or repeats a key: `JSON.parse` uses
 * the last value, which could allow a call that the first one denies
 * @throws RequestError 413 if it has too many values
 */
export function parseLimited(bytes: Uint8Array): unknown {
  const size = measureJson(bytes, { values: maxValues, levels: maxLevels });
  if (size.status === "too_many_values") throw tooManyValues;
  if (size.status !== "measured")
    throw new SyntaxError(`it is nested deeper than ${maxLevels} levels.`);
  const text = new TextDecoder().decode(bytes);
  const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
  const repeated = size.keys > countKeys(value) ? findRepeatedKey(text) : undefined;
  if (repeated !== undefined) throw new SyntaxError(duplicateMessage(repeated));
  return value;
}

function countKeys(value: unknown): number {
  let keys = 0;
  for (let level = [value].filter(isParent); level.length > 0;) {
    const next: object[] = [];
    for (const parent of level) {
      const members: readonly unknown[] = Object.values(parent);
      if (!Array.isArray(parent)) keys += members.length;
      for (const member of members) if (isParent(member)) next.push(member);
    }
    level = next;
  }
  return keys;
}

/** Names the key that an object repeats: `input[0] has the key "approve" twice…`. */
function duplicateMessage({ path, key }: RepeatedKey): string {
  const steps = path.map((at) => (typeof at === "number" ? `[${at}]` : `.${at}`)).join("");
  const where = steps === "" ? "it" : steps.replace(/^\./, "").slice(0, 200);
  return `${where} has the key ${JSON.stringify(key.slice(0, 100))} twice, and only one of them could count. Send it once.`;
}

const tooManyValues = new RequestError({
  status: 413,
  code: "body_too_many_values",
  message: `The body has more than ${maxValues} JSON values: items, objects, texts and numbers. Send fewer and longer items, or continue a response with 'previous_response_id' instead of sending it again.`,
});

function isParent(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function withData(body: unknown, taken: readonly TakenData[]): unknown {
  for (const { at, prefix, sha256, bytes } of taken) {
    let place = body as { [name: string | number]: unknown };
    for (const name of at.slice(0, -1)) place = place[name] as typeof place;
    place[at.at(-1) ?? ""] = new StoredData({ sha256, prefix, size: bytes.length, bytes });
  }
  return body;
}

/** Opens a file and unlinks it, so that no file remains however the process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `capstan-body-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await rm(path, { force: true });
  return file;
}

let thread: Worker | undefined;
/**
 * The last body that waits for the thread. The thread parses one body at a time, which limits the
 * memory.
 */
let last: Promise<unknown> = Promise.resolve();
let idle: NodeJS.Timeout | undefined;

function inThread(body: BodyToParse): Promise<ParsedBody> {
  const parsed = last.then(async () => {
    clearTimeout(idle);
    thread ??= startThread();
    const worker = thread;
    worker.postMessage(body);
    const [answer] = (await once(worker, "message")) as [ParsedBody];
    idle = setTimeout(() => {
      thread = undefined;
      void worker.terminate();
    }, idleMs).unref();
    return answer;
  });
  last = parsed.catch(() => {
    thread = undefined;
  });
  return parsed;
}

function startThread(): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./parse-body-thread.${extension}`, import.meta.url));
  worker.unref();
  return worker;
}

/**
 * The bytes of an image or a file, which a request contained as Base64. As JSON it is a reference.
 * Only this class creates such references, so that no client can refer to another client's bytes.
 */
export class StoredData {
  readonly sha256: string;
  readonly size: number;
  /** The text before the Base64: `data:image/png;base64,`, or empty. */
  readonly prefix: string;
  /** Absent if an earlier request has stored them. */
  readonly bytes: Uint8Array | undefined;

  constructor(given: {
    readonly sha256: string;
    readonly size: number;
    readonly prefix: string;
    readonly bytes?: Uint8Array;
  }) {
    this.sha256 = given.sha256;
    this.size = given.size;
    this.prefix = given.prefix;
    this.bytes = given.bytes;
  }

  /** The length of the Base64 or URL that it replaces. */
  get length(): number {
    return this.prefix.length + Math.ceil(this.size / 3) * 4;
  }

  toJSON(): { readonly sha256: string; readonly size: number; readonly prefix: string } {
    const { sha256, size, prefix } = this;
    return { sha256, size, prefix };
  }
}

/** Restores a reference from its stored JSON. */
export function asStoredData(value: unknown): StoredData | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { sha256, size, prefix } = value as { readonly [name: string]: unknown };
  if (typeof sha256 !== "string" || typeof size !== "number" || typeof prefix !== "string")
    return undefined;
  return new StoredData({ sha256, size, prefix });
}

/** Base64 with fewer characters stays in its request. */
const minLength = 32_768;

/**
 * Longest image in a request, in characters. A longer one is not extracted, and is rejected later.
 */
export const maxImage = 20_971_520;

/** Members of a content part that carry Base64 or a `data:` URL. */
export const carriers = ["image_url", "file_data", "file_url", "video_url"] as const;

/** Base64 that was extracted from a request, with its path. */
export interface TakenData {
  readonly at: readonly (string | number)[];
  /** The text before the Base64: `data:image/png;base64,`, or empty. */
  readonly prefix: string;
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Extracts images and files from a parsed request, decodes them, and leaves `null` in their places:
 * from the `input` of a Responses request, and from the `messages` of a Chat Completions request.
 * Non-canonical Base64 stays, because decoding it would lose information.
 */
export function takeData(body: unknown): readonly TakenData[] {
  const taken: TakenData[] = [];
  /** Extracts a member of the part at a path, if it carries data. */
  const take = (holder: unknown, at: TakenData["at"], name: string, isImage: boolean): void => {
    const text = memberOf(holder, name);
    if (typeof text !== "string" || (isImage && text.length > maxImage)) return;
    const found = decode(text);
    if (found === undefined) return;
    taken.push({ at: [...at, name], ...found });
    (holder as { [name: string]: unknown })[name] = null;
  };
  for (const [index, item] of listOf(body, "input").entries()) {
    const list = partsOf(item);
    if (list === undefined) continue;
    for (const [n, part] of listOf(item, list).entries()) {
      if (!/^input_(image|file|video)$/.test(typeOf(part))) continue;
      for (const name of carriers)
        take(part, ["input", index, list, n], name, name === "image_url");
    }
  }
  for (const [index, message] of listOf(body, "messages").entries())
    for (const [n, part] of listOf(message, "content").entries()) {
      const type = typeOf(part);
      const name = Object.hasOwn(messageCarriers, type) ? messageCarriers[type] : undefined;
      if (name === undefined) continue;
      const at = ["messages", index, "content", n, type];
      take(memberOf(part, type), at, name, type === "image_url");
    }
  return taken;
}

/** The member with Base64 or a `data:` URL, by the type of a part of a Chat Completions message. */
const messageCarriers: { readonly [type: string]: string } = {
  image_url: "url",
  video_url: "url",
  input_audio: "data",
  file: "file_data",
};

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

/**
 * Returns the name of the member with an item's parts. Items of other types are stored unchanged.
 */
function partsOf(item: unknown): "content" | "output" | undefined {
  const type = memberOf(item, "type") ?? (memberOf(item, "role") === undefined ? "" : "message");
  if (type === "message") return "content";
  return type === "function_call_output" || type === "custom_tool_call_output"
    ? "output"
    : undefined;
}

function decode(text: string): Omit<TakenData, "at"> | undefined {
  if (text.length < minLength) return undefined;
  const start = /^data:[^,]{0,200};base64,/.exec(text.slice(0, 300));
  if (start === null && text.startsWith("data:")) return undefined;
  const prefix = start?.[0] ?? "";
  const base64 = text.slice(prefix.length);
  if (base64.length % 4 !== 0 || !/^[\w+/]+={0,2}$/.test(base64.slice(-1_000))) return undefined;
  const decoded = Buffer.from(base64, "base64");
  if (decoded.toString("base64") !== base64) return undefined;
  // Not from Buffer's pool, so that it can be transferred to another thread.
  const bytes = new Uint8Array(decoded);
  return { prefix, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * Returns the type of a part, or an empty text if the type is not a string. Converting an object to
 * a string could throw.
 */
function typeOf(part: unknown): string {
  const type = memberOf(part, "type");
  return typeof type === "string" ? type : "";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
