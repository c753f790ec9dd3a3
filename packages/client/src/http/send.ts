import type { ErrorBody } from "@capstan/contract";

/** The error of a request, as data. */
export interface ApiErrorData {
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Names the kind of error, such as `run_not_found`; `unreachable` if there was no answer. */
  readonly code: string;
  readonly message: string;
  /** The field that is wrong, such as `when.path`. @default "" */
  readonly param?: string;
  readonly cause?: unknown;
}

/**
 * A request failed: the server rejected it, or could not be reached.
 *
 * @example
 * catch (error) {
 *   if (error instanceof ApiError && error.code === "run_not_found") return undefined;
 *   throw error;
 * }
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string;

  constructor({ status, code, message, param = "", cause }: ApiErrorData) {
    super(message, { cause });
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Returns the error of an answer without success, in the API's form or any other. */
export async function readApiError(response: Response, keyHint?: string): Promise<ApiError> {
  const { status } = response;
  const hint = status === 401 && keyHint !== undefined ? ` ${keyHint}` : "";
  const { message, code, param } = parseErrorBody(await response.text().catch(() => ""));
  return new ApiError({
    status,
    code: typeof code === "string" ? code : "unknown",
    message: `${typeof message === "string" ? message : `The server answered with status ${status}.`}${hint}`,
    param: typeof param === "string" ? param : "",
  });
}

function parseErrorBody(text: string): { readonly [Field in keyof ErrorBody["error"]]?: unknown } {
  try {
    return (JSON.parse(text) as Partial<ErrorBody> | null)?.error ?? {};
  } catch {
    return {};
  }
}

/** Smaller differences are those of the `Date` header, which has whole seconds, and of the network. */
const smallestDifferenceMs = 2_500;

/** How far this machine's clock is from the server's. */
export class ServerClock {
  #offsetMs = 0;

  /** Notes the `Date` of an answer. */
  note(header: string | null): void {
    const server = header === null ? Number.NaN : Date.parse(header);
    if (Number.isNaN(server)) return;
    const difference = Date.now() - server;
    this.#offsetMs = Math.abs(difference) > smallestDifferenceMs ? difference : 0;
  }

  /** The server's time, in milliseconds since 1970. */
  now(): number {
    return Date.now() - this.#offsetMs;
  }
}

export interface Connection {
  /** Without a slash at the end; empty for the origin of the page. */
  readonly url: string;
  readonly key: () => string | null | undefined;
  readonly fetch: typeof fetch;
  readonly clock: ServerClock;
  readonly keyHint: string | undefined;
  readonly antiForgeryToken: () => string | null | undefined;
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
 * @throws ApiError if the response is an error, or is missing; the signal's reason if it aborts
 */
export async function send(
  { url, key: keyOf, fetch, clock, keyHint, antiForgeryToken }: Connection,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { method = "GET", body, accept = "application/json", keepalive, signal } = options;
  const key = keyOf();
  const token = antiForgeryToken();
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(typeof key === "string" && { authorization: `Bearer ${key}` }),
        ...(typeof token === "string" && { "x-csrf-token": token }),
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
