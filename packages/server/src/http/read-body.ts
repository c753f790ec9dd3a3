/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is not a window */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { countWrittenKeys, findRepeatedKey, type RepeatedKey } from "@capstan/core/base";
import type { Context } from "hono";
import type { z } from "zod";
import { badRequest, RequestError } from "./errors.ts";
import { growBody } from "./memory-budget.ts";

// The thread that parses long bodies loads this file: it must not load much.

/** A body can be read once, and a route may ask for it again. */
const bodies = new WeakMap<Request, Promise<ReadBody>>();

interface ReadBody {
  readonly value: unknown;
  /** Of the bytes; empty unless the request may come again. */
  readonly digest: string;
}

/** A request's JSON. An empty body is an empty object. */
export async function readJson(context: Context): Promise<unknown> {
  return (await readOnce(context)).value;
}

/** Whether a request may come again: it has an idempotency key, or OpenAI's client counts its tries. */
export function mayRepeat({ req }: Context): boolean {
  return (
    req.header("idempotency-key") !== undefined ||
    req.header("x-stainless-retry-count") !== undefined
  );
}

/** The digest of the body of a request that may come again. */
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

/** A request's JSON, checked; unknown fields are ignored. */
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

/** The members that say something: in requests null means "not given". */
export function withoutNulls<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(value).filter(([, member]) => member != null);
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** A whole number from the query, within bounds. */
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

/** One of some words from the query, or `undefined` if the query does not have it. */
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

/** A longer body is parsed by a thread, as parsing would hold up all other requests. */
const longBytes = 1_048_576;

/** A thread without work ends after this time, and gives its memory back. */
const idleMs = 5_000;

/** A body on its way to the thread: a file that has no name any more. */
export interface BodyToParse {
  readonly file: number;
  readonly size: number;
}

export type ParsedBody =
  | { readonly value: unknown; readonly taken: readonly TakenData[] }
  /** Of the JSON parser, or undefined: it has too many values. */
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
    /** Called with the bytes received so far; may throw. */
    readonly onSize?: (size: number) => void;
  } = {},
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of request.body ?? []) {
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
    // Receiving it was a long turn of the event loop.
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

/** Programs that walk JSON call themselves at each level. */
const maxLevels = 1_000;

/** Each costs the event loop some microseconds, however short it is, until its run has begun. */
const maxValues = 50_000;

/**
 * @throws SyntaxError if it is not JSON, too deep, or has a key twice: `JSON.parse` takes the last
 * value, which could allow what the first one denies
 * @throws RequestError 413 if it has too many values
 */
export function parseJson(bytes: Uint8Array): {
  readonly value: unknown;
  readonly taken: readonly TakenData[];
} {
  const text = new TextDecoder().decode(bytes);
  const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
  let level = [value].filter(isParent);
  let keys = 0;
  let values = 1;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maxLevels) throw new SyntaxError(`it is nested deeper than ${maxLevels} levels.`);
    const next: object[] = [];
    for (const parent of level) {
      const members: readonly unknown[] = Object.values(parent);
      values += members.length;
      if (values > maxValues) throw tooManyValues;
      if (!Array.isArray(parent)) keys += members.length;
      for (const member of members) if (isParent(member)) next.push(member);
    }
    level = next;
  }
  const repeated = countWrittenKeys(text) > keys ? findRepeatedKey(text) : undefined;
  if (repeated !== undefined) throw new SyntaxError(duplicateMessage(repeated));
  return { value, taken: takeData(value) };
}

/** Says which key an object has twice: `input[0] has the key "approve" twice…`. */
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

/** Without a name nothing is left of it, however the process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `capstan-body-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await rm(path, { force: true });
  return file;
}

let thread: Worker | undefined;
/** The last body that waits for the thread: one is parsed at a time, which bounds the memory. */
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
 * The bytes of an image or a file that a request had as Base64. Its JSON form is a reference. Only
 * this class creates such references, so that no client can refer to another client's bytes.
 */
export class StoredData {
  readonly sha256: string;
  readonly size: number;
  /** The text before the Base64: `data:image/png;base64,`, or empty. */
  readonly prefix: string;
  /** Absent if they are stored already, for an earlier request. */
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

  /** The length of the text that it stands for. */
  get length(): number {
    return this.prefix.length + Math.ceil(this.size / 3) * 4;
  }

  toJSON(): { readonly sha256: string; readonly size: number; readonly prefix: string } {
    const { sha256, size, prefix } = this;
    return { sha256, size, prefix };
  }
}

/** Makes a reference again that was stored as JSON. */
export function asStoredData(value: unknown): StoredData | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { sha256, size, prefix } = value as { readonly [name: string]: unknown };
  if (typeof sha256 !== "string" || typeof size !== "number" || typeof prefix !== "string")
    return undefined;
  return new StoredData({ sha256, size, prefix });
}

/** Base64 of fewer characters than this stays in its request. */
const minLength = 32_768;

/** Characters of an image in a request. A longer one stays, to be rejected. */
export const maxImage = 20_971_520;

/** Members of a content part that carry Base64 or a `data:` URL. */
export const carriers = ["image_url", "file_data", "file_url", "video_url"] as const;

/** Base64 that was taken out of a request, and its place in it. */
export interface TakenData {
  readonly at: readonly (string | number)[];
  /** The text before the Base64: `data:image/png;base64,`, or empty. */
  readonly prefix: string;
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Takes images and files out of the input of a parsed request, decodes them, and leaves `null` in
 * their places. A text that is not exactly the Base64 of its bytes stays, so that nothing is lost.
 */
export function takeData(body: unknown): readonly TakenData[] {
  const taken: TakenData[] = [];
  const input = memberOf(body, "input");
  if (!Array.isArray(input)) return taken;
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    const list = partsOf(item);
    const parts = list === undefined ? undefined : memberOf(item, list);
    if (list === undefined || !Array.isArray(parts)) continue;
    for (const [n, part] of (parts as readonly unknown[]).entries()) {
      if (!/^input_(image|file|video)$/.test(String(memberOf(part, "type")))) continue;
      for (const name of carriers) {
        const text = memberOf(part, name);
        if (typeof text !== "string" || (name === "image_url" && text.length > maxImage)) continue;
        const found = decode(text);
        if (found === undefined) continue;
        taken.push({ at: ["input", index, list, n, name], ...found });
        (part as { [name: string]: unknown })[name] = null;
      }
    }
  }
  return taken;
}

/** Returns the member of an item that has its parts. Items of other types are stored as they came. */
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
  // Not of Buffer's pool: it can be handed to another thread.
  const bytes = new Uint8Array(decoded);
  return { prefix, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
