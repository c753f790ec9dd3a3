import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";

/** A POST request. */
export interface SentRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Blob;
  /** Aborts the request and its answer. */
  readonly signal: AbortSignal;
}

/** An answer whose headers have arrived. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Returns the next bytes, or `undefined` at the end. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Ends the answer, and with it a pending `read`. */
  readonly cancel: (reason: unknown) => void;
}

/** Sends a request. Resolves when the headers of its answer have arrived. */
export type SendRequest = (request: SentRequest) => Promise<ServerAnswer>;

/** Returns a function that sends requests with `fetch`. */
export function sendWithFetch(fetch: typeof globalThis.fetch): SendRequest {
  return async ({ url, ...init }) => {
    const { status, headers, body } = await fetch(url, { method: "POST", ...init });
    const reader = body?.getReader();
    return {
      status,
      headers: Object.fromEntries(headers),
      read: async () => (await reader?.read())?.value,
      cancel: (reason) => void reader?.cancel(reason).catch(() => undefined),
    };
  };
}

const maxRedirects = 5;

/**
 * Sends a request with Node's HTTP client, which needs half the processor time of `fetch` for each
 * delta of a stream.
 */
export const sendWithHttp: SendRequest = async (request) => {
  let { url, headers } = request;
  for (let redirects = 0; ; redirects++) {
    const message = await sendOnce({ ...request, url, headers });
    const { statusCode: status = 0, headers: received } = message;
    const isRedirect = (status === 307 || status === 308) && redirects < maxRedirects;
    if (!isRedirect || received.location === undefined)
      return { status, headers: singleHeaders(message), ...readerOf(message) };
    message.resume();
    const next = new URL(received.location, url);
    const { authorization: _key, ...others } = headers;
    if (next.origin !== new URL(url).origin) headers = others;
    url = next.href;
  }
};

async function sendOnce({ url, headers, body, signal }: SentRequest): Promise<IncomingMessage> {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.size;
  const options = { method: "POST", headers: { ...headers, "content-length": length }, signal };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (url.startsWith("https:") ? requestHttps : requestHttp)(url, options, resolve);
    sent.on("error", reject);
    if (typeof body === "string") sent.end(body);
    else Readable.from(body.stream(), { objectMode: false }).on("error", reject).pipe(sent);
  });
}

function singleHeaders({ headers }: IncomingMessage): { readonly [name: string]: string } {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}

/** The maximum number of unread bytes. Above it, the server has to wait. */
const maxWaiting = 65_536;

/** Returns a reader of a message that is several times as fast as the message's async iterator. */
function readerOf(message: IncomingMessage): Pick<ServerAnswer, "read" | "cancel"> {
  const waiting: Uint8Array[] = [];
  let bytes = 0;
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const stop = (reached: { readonly error?: unknown }): void => {
    end ??= reached;
    wake?.();
  };
  message.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes > maxWaiting) message.pause();
    wake?.();
  });
  message.on("end", () => stop({}));
  message.on("error", (error) => stop({ error }));
  message.on("close", () => stop({ error: new Error("terminated") }));
  return {
    read: async () => {
      if (waiting.length === 0 && end === undefined)
        await new Promise<void>((resolve) => (wake = resolve));
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        bytes -= chunk.length;
        if (message.isPaused() && bytes <= maxWaiting) message.resume();
        return chunk;
      }
      if (end?.error !== undefined) throw end.error as Error;
      return undefined;
    },
    cancel: (reason) => {
      message.destroy(reason instanceof Error ? reason : undefined);
      stop({ error: reason });
    },
  };
}
