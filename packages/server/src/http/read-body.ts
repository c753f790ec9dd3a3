import type { Context } from "hono";
import type { z } from "zod";
import { RequestError } from "./request-error.ts";

/** A body can be read once, and a route may ask for it again. */
const bodies = new WeakMap<Request, Promise<unknown>>();

function bodyOf(request: Request): Promise<unknown> {
  const known = bodies.get(request) ?? parseBody(request);
  bodies.set(request, known);
  return known;
}

/** A request's JSON. An empty body is an empty object. */
export async function readJson(context: Context): Promise<unknown> {
  try {
    return await bodyOf(context.req.raw);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const why = thrown.message;
    throw new RequestError({
      status: 400,
      type: "invalid_request_error",
      code: "invalid_json",
      param: "request",
      message: `The body is not valid JSON: ${why}`,
    });
  }
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
  throw new RequestError({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message: `${param}: ${issue?.message ?? "is not valid"}`,
  });
}

/** A whole number from the query, within bounds. */
export function readNumber(
  context: Context,
  name: string,
  {
    min,
    max,
    otherwise,
  }: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RequestError({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param: name,
    message: `${name}: expected a whole number from ${min} to ${max}, got "${text.slice(0, 40)}".`,
  });
}

/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is no window */
import { once } from "node:events";
import { type FileHandle, open, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { StoredData } from "./stored-data.ts";
import { takeData, type TakenData } from "./take-data.ts";

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
  /** Of the JSON parser. */
  | { readonly error: string };

/**
 * Reads a request's JSON. Images and files are taken out of it: they are `StoredData`. A long body is
 * written to a file while it arrives, so that many slow clients take no memory, and parsed by a thread.
 *
 * @throws SyntaxError if it is no JSON
 */
export async function parseBody(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= longBytes) continue;
      file ??= await openUnnamed();
      for (const each of chunks.splice(0)) await file.writeFile(each);
    }
    if (file === undefined) return parseShort(Buffer.concat(chunks));
    const parsed = await inThread({ file: file.fd, size });
    if ("error" in parsed) throw new SyntaxError(parsed.error);
    return withData(parsed.value, parsed.taken);
  } finally {
    await file?.close();
  }
}

function parseShort(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return {};
  const value: unknown = JSON.parse(text);
  return withData(value, takeData(value));
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
