import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { parseLimited, type ParsedMessage } from "./message-limits.ts";

/** A thread parses messages with more bytes, because parsing them here would delay other work. */
const longBytes = 262_144;

/** Milliseconds after which an idle thread ends and frees its memory. */
const idleMs = 5_000;

let thread: Worker | undefined;
/** The last message that waits for the thread, which parses one at a time to limit the memory. */
let last: Promise<unknown> = Promise.resolve();
let idle: NodeJS.Timeout | undefined;

/**
 * Parses a message of a server within the limits of its values and levels. A thread parses long
 * messages.
 *
 * @param parts the bytes in UTF-8; do not change them
 */
export function parseMessage(parts: readonly Uint8Array[]): ParsedMessage | Promise<ParsedMessage> {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (size <= longBytes) return parseLimited(Buffer.concat(parts));
  const parsed = last.then(() => inThread(joined(parts, size)));
  last = parsed.catch(() => {
    thread = undefined;
  });
  return parsed;
}

/** Copies bytes into a buffer that can be transferred to another thread. */
function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function inThread(bytes: Uint8Array<ArrayBuffer>): Promise<ParsedMessage> {
  clearTimeout(idle);
  thread ??= startThread();
  const worker = thread;
  worker.ref();
  worker.postMessage(bytes, [bytes.buffer]);
  const [parsed] = (await once(worker, "message")) as [ParsedMessage];
  worker.unref();
  idle = setTimeout(() => {
    thread = undefined;
    void worker.terminate();
  }, idleMs).unref();
  return parsed;
}

function startThread(): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new Worker(new URL(`./parse-message-thread.${extension}`, import.meta.url));
}
