import { ApiError, readApiError } from "./api-error.ts";
import type { ServerClock } from "./server-clock.ts";

export interface Connection {
  /** Without a slash at the end; empty for the origin of the page. */
  readonly url: string;
  readonly key: () => string | null | undefined;
  readonly fetch: typeof fetch;
  readonly clock: ServerClock;
  readonly keyHint: string | undefined;
}

export interface RequestOptions {
  /** @default "GET" */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @default "application/json" */
  readonly accept?: string;
  /** Lets the request outlive the page. @default false */
  readonly keepalive?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request.
 *
 * @throws ApiError if the answer is no success, or there is none; the signal's reason if it aborts
 */
export async function send(
  { url, key: keyOf, fetch, clock, keyHint }: Connection,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { method = "GET", body, accept = "application/json", keepalive, signal } = options;
  const key = keyOf();
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(typeof key === "string" && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(keepalive !== undefined && { keepalive }),
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message =
      url === ""
        ? "The server cannot be reached. Is it still running?"
        : `No answer from ${url}: ${reason}`;
    throw new ApiError({ status: 0, code: "unreachable", message, cause: error });
  }
  clock.note(response.headers.get("date"));
  if (!response.ok) throw await readApiError(response, keyHint);
  return response;
}
