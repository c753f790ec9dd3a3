import type { JSONRPCMessage, Transport } from "../libraries/mcp-client.ts";
import type { MessageReading } from "./message-transformer.ts";

/** The key in `_meta` that contains the original result of the server. */
export const rawKey = "capstan/raw";

/** Valid replacements for the parts of results that the library checks strictly. */
const blanks: { readonly [method: string]: { readonly [key: string]: unknown } } = {
  "tools/list": { tools: [] },
  "tools/call": { content: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [] },
  "prompts/list": { prompts: [] },
  "prompts/get": { messages: [] },
};

/**
 * Wraps a transport so that one malformed part of a result does not lose the whole result: the
 * library gets an empty result, with the original in its `_meta`. The result of a call is never
 * lost after the call was carried out.
 *
 * @param options.reading the limits that this session's requests and answers change
 * @param options.onNotification receives each notification's method; false drops the notification
 */
export function tolerantTransport(
  inner: Transport,
  options: {
    readonly reading: MessageReading;
    readonly onNotification: (method: string) => boolean;
  },
): Transport {
  const { reading, onNotification } = options;
  const methods = new Map<string | number, string>();
  const outer: Transport = {
    async start() {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no events
      inner.onmessage = (message, extra) => {
        const kept = keptMessage(message);
        if (kept !== undefined) outer.onmessage?.(kept as never, extra);
      };
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no events
      inner.onerror = (error) => outer.onerror?.(error);
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no events
      inner.onclose = () => outer.onclose?.();
      await inner.start();
    },
    send(message, options) {
      if ("method" in message && "id" in message && message.id !== undefined) {
        methods.set(message.id, message.method);
        reading.budget.onRequest();
      }
      // No answer to a cancelled request is used.
      if ("method" in message && message.method === "notifications/cancelled")
        forget(message.params?.["requestId"] as string | number);
      return inner.send(message, options);
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    get sessionId() {
      return inner.sessionId;
    },
    ...(inner.hasPerRequestStream !== undefined && {
      hasPerRequestStream: inner.hasPerRequestStream,
    }),
  };
  const forget = (id: string | number): string | undefined => {
    const method = methods.get(id);
    if (methods.delete(id)) reading.budget.onAnswer();
    return method;
  };
  const keptMessage = (message: JSONRPCMessage): JSONRPCMessage | undefined => {
    if ("method" in message && !("id" in message))
      return onNotification(message.method) ? message : undefined;
    if (!("id" in message) || message.id === undefined || "method" in message) return message;
    const method = forget(message.id);
    if (method === undefined || !("result" in message)) return message;
    const result = tolerantResult(method, reading.results.take(message.result));
    return { ...message, result } as JSONRPCMessage;
  };
  return outer;
}

function tolerantResult(method: string, result: unknown): unknown {
  const blank = blanks[method];
  if (blank === undefined || !isObject(result)) return result;
  if (result["resultType"] === "input_required") return result;
  const { resultType, nextCursor, ttlMs, cacheScope } = result;
  return {
    ...blank,
    ...(typeof resultType === "string" && { resultType }),
    ...(typeof nextCursor === "string" && { nextCursor }),
    ...(resultType !== undefined && {
      ttlMs: typeof ttlMs === "number" ? ttlMs : 0,
      cacheScope: cacheScope === "public" ? "public" : "private",
    }),
    _meta: { [rawKey]: result },
  };
}

/** Returns the original result of the server. */
export function rawResult(result: { readonly _meta?: unknown }): {
  readonly [key: string]: unknown;
} {
  const meta = isObject(result._meta) ? result._meta : {};
  const raw = meta[rawKey];
  return isObject(raw) ? raw : result;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
