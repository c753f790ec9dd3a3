import {
  addressProblem,
  allowedHosts,
  checkedAgent,
  isAddress,
  privateAddress,
  resolveBySystem,
  type ResolveHost,
} from "@capstan/sandbox";
import type { Dispatcher } from "undici";
import type { FetchLike } from "./fetch-like.ts";
import { ConnectionError } from "./connection-error.ts";
import { exceededLimit, largestMessage } from "./message-limits.ts";
import { type MessageReading, messageTransformer } from "./message-transformer.ts";

/**
 * Returns the `fetch` of a connection. It connects only to public addresses and to private hosts
 * that a user accepted; each connection checks the address that it uses, so a name that leads to a
 * private address later (DNS rebinding) is rejected. It does not follow redirects. A message beyond
 * the size limit ends the stream.
 *
 * @param options.onReply receives the status of each reply, and its `Retry-After`
 */
export function guardedFetch(options: {
  readonly name: string;
  /** The hosts of the connection that may have a private address, with ports: `privateHostsOf`. */
  readonly privateHosts: readonly string[];
  /** The hosts of the connection's settings. Errors say how to make them private. */
  readonly ownHosts: readonly string[];
  readonly resolve?: ResolveHost;
  readonly connectTimeoutMs?: number;
  /** The largest message, in bytes. @default that of all connections */
  readonly maxBytes?: number;
  /** Reads the bodies as MCP messages, with all their limits. @default limits their size only */
  readonly messages?: MessageReading;
  readonly onReply?: (status: number, retryAfter: string | undefined) => void;
  /** Called when a message is too large; its stream has ended. */
  readonly onTooLarge?: (error: ConnectionError) => void;
}): FetchLike & { readonly close: () => Promise<void> } {
  const { name, privateHosts, ownHosts, resolve = resolveBySystem, onReply, onTooLarge } = options;
  const { connectTimeoutMs = 10_000, maxBytes = largestMessage, messages } = options;
  const mayBePrivate = allowedHosts(privateHosts);
  const ownNames = new Set(ownHosts.map((host) => new URL(`http://${host}`).hostname));
  const fixFor = (hostname: string) => (ownNames.has(hostname) ? becomePrivate(name) : undefined);
  const agents = new Map<boolean, Promise<Dispatcher>>();
  const agentFor = (publicOnly: boolean) => {
    const known = agents.get(publicOnly);
    if (known !== undefined) return known;
    const made = checkedAgent({ resolve, publicOnly, connectTimeoutMs, fixFor });
    agents.set(publicOnly, made);
    return made;
  };
  const send: FetchLike = async (target, init) => {
    const url = new URL(target);
    const publicOnly = !mayBePrivate(url);
    if (publicOnly && isAddress(url.hostname)) {
      const problem = addressProblem(url.hostname);
      if (problem !== undefined) throw privateAddress(url.hostname, problem, fixFor(url.hostname));
    }
    const dispatcher = await agentFor(publicOnly);
    const { fetch } = await import("undici");
    // The types of the two libraries differ only in details that are not used here.
    const given = { redirect: "manual", ...init, dispatcher } as unknown as Parameters<
      typeof fetch
    >[1];
    const response = (await fetch(url, given)) as unknown as Response;
    onReply?.(response.status, response.headers.get("retry-after") ?? undefined);
    return limited(response, { name, maxBytes, messages, onTooLarge });
  };
  return Object.assign(send, {
    async close() {
      for (const agent of agents.values()) await (await agent).destroy().catch(() => {});
      agents.clear();
    },
  });
}

function becomePrivate(name: string): string {
  return `The connection ${name} was added with a public address. If it may be private, an administrator sets "private": true in its settings, or removes it and adds it as private.`;
}

/** Ends a body in which one message is too large. Messages of an event stream end with an empty line. */
function limited(
  response: Response,
  options: {
    readonly name: string;
    readonly maxBytes: number;
    readonly messages: MessageReading | undefined;
    readonly onTooLarge: ((error: ConnectionError) => void) | undefined;
  },
): Response {
  const { name, maxBytes, messages, onTooLarge } = options;
  if (response.body === null) return response;
  const isStream = /^text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  const transformer =
    messages === undefined
      ? sizeTransformer({ name, maxBytes, isStream })
      : messageTransformer({ name, ...messages, isStream });
  const body = response.body.pipeThrough(new TransformStream(reporting(transformer, onTooLarge)));
  const { status, statusText, headers } = response;
  const copy = new Response(body, { status, statusText, headers: new Headers([...headers]) });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}

type BodyTransformer = Transformer<Uint8Array, Uint8Array>;

/** Calls a function with the error of a transformer, which ends the body. */
function reporting(
  { transform, flush }: BodyTransformer,
  onError: ((error: ConnectionError) => void) | undefined,
): BodyTransformer {
  const reported = async (work: () => unknown) => {
    try {
      await work();
    } catch (thrown) {
      if (thrown instanceof ConnectionError) onError?.(thrown);
      throw thrown;
    }
  };
  return {
    transform: (chunk, controller) => reported(() => transform?.(chunk, controller)),
    flush: (controller) => reported(() => flush?.(controller)),
  };
}

/** Limits the size of a body, or of each event of a stream. */
function sizeTransformer(options: {
  readonly name: string;
  readonly maxBytes: number;
  readonly isStream: boolean;
}): BodyTransformer {
  const { name, maxBytes, isStream } = options;
  let size = 0;
  return {
    transform(chunk, controller) {
      const event = isStream ? endOfEvent(chunk) : -1;
      size = event === -1 ? size + chunk.length : chunk.length - event;
      if (size > maxBytes)
        throw new ConnectionError({
          code: "too_large",
          message: `The server of ${name} sent a message of ${exceededLimit("too_large", maxBytes)}. Ask for less at a time.`,
        });
      controller.enqueue(chunk);
    },
  };
}

/** Returns the offset of the last empty line, which ends an event; -1 if there is none. */
function endOfEvent(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\r\n\r\n"));
}
