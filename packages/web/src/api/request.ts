import { apiKey, askForApiKey } from "./api-key.ts";
import { errorOf, isAbort, unreachable } from "./api-error.ts";
import { noteLost, noteReached } from "./server-presence.ts";
import { noteServerDate } from "./server-clock.ts";

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
  /** Lets the request outlive the page. */
  readonly keepalive?: boolean;
}

/** One request; throws `ApiError` where the answer is not fine, and asks for a key at 401. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const key = apiKey();
  const hasBody = options.body !== undefined;
  const init: RequestInit = {
    method: options.method ?? "GET",
    headers: {
      ...options.headers,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.keepalive === undefined ? {} : { keepalive: options.keepalive }),
  };
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    noteLost();
    throw unreachable();
  }
  noteReached();
  noteServerDate(response.headers.get("date"));
  if (response.ok) return response;
  // Another key may have been given since this was sent.
  if (response.status === 401 && apiKey() === key) askForApiKey();
  throw await errorOf(response);
}

/** One request whose answer is JSON of the contract's type. */
export async function requestJson<Answer>(path: string, options?: RequestOptions): Promise<Answer> {
  const response = await send(path, options);
  return (await response.json()) as Answer;
}
