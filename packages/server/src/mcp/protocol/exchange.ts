import type { ServerContext } from "../../libraries/mcp-server.ts";

/** One HTTP request to the MCP endpoint, and the caller that it was authenticated for. */
export interface Exchange {
  readonly principal: string;
  /** The group whose tools the address offers. @default the tools of all groups */
  readonly group: string | undefined;
  /** The origin under which the caller reached the server. */
  readonly origin: string;
  /** The headers that the configuration passes on to tools. */
  readonly headers: { readonly [name: string]: string };
  /** Aborts when the connection of the request is lost. */
  readonly disconnected: AbortSignal;
  /** Called when the whole response was written to a connection that its client did not close. */
  readonly onWritten: (() => void)[];
  /** Ends the response to a cancelled request, to which the SDK writes nothing. */
  readonly abandon: AbortController;
  /**
   * Reads contents of this size, after the earlier reads of the principal, and reserves their memory
   * until the response has ended. Rejects with a `RequestError` if the principal's memory is used up.
   */
  readonly readReserved: <T>(bytes: number, read: () => Promise<T>) => Promise<T>;
  /** Called once, when the response has ended or its client has left. */
  readonly onEnd: (() => void)[];
}

interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly extra: { readonly exchange: Exchange };
}

/** Returns the exchange in the form in which the SDK passes it to handlers. */
export function authInfoOf(exchange: Exchange): AuthInfo {
  return { token: "", clientId: exchange.principal, scopes: [], extra: { exchange } };
}

/** Returns the exchange of a request. */
export function exchangeOf({ http }: Pick<ServerContext, "http">): Exchange {
  const { exchange } = (http?.authInfo?.extra ?? {}) as Partial<AuthInfo["extra"]>;
  if (exchange === undefined) throw new Error("The request has no caller.");
  return exchange;
}

/** How long the header of a response waits for the first bytes of its body, in ms. */
const headerMs = 1_000;

/**
 * Returns a response that reports when it was written. A client that closes the connection has not
 * received it.
 *
 * @param options.isAnswer whether the response answers a message. Its header waits for the answer,
 * so that clients read both at once
 */
export async function watchDelivery(
  response: Response,
  { disconnected, abandon, onWritten, onEnd }: Exchange,
  { isAnswer }: { readonly isAnswer: boolean },
): Promise<Response> {
  const ended = () => {
    for (const listener of onEnd.splice(0)) listener();
  };
  const written = () => {
    if (!disconnected.aborted) for (const listener of onWritten.splice(0)) listener();
    ended();
  };
  disconnected.addEventListener("abort", ended, { once: true });
  const { body, status, statusText, headers } = response;
  if (body === null) {
    written();
    return response;
  }
  const reader = body.getReader();
  abandon.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  let first = isAnswer ? reader.read() : undefined;
  if (first !== undefined) await settledWithin(headerMs, first);
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const reading = first ?? reader.read();
          first = undefined;
          const { done, value } = await reading;
          if (!done) return controller.enqueue(value);
          controller.close();
          written();
        } catch (thrown) {
          ended();
          throw thrown;
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, statusText, headers });
}

/** Waits until a promise is settled, but at most some milliseconds. */
async function settledWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  promise.then(
    () => resolve(),
    () => resolve(),
  );
  await over;
  clearTimeout(timer);
}
