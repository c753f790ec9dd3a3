import type { ErrorBody } from "@capstan/contract";

/** The fields of an `ApiError`. */
export interface ApiErrorData {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The error code, for example `run_not_found`; `unreachable` if there was no response. */
  readonly code: string;
  readonly message: string;
  /** The invalid field, for example `when.path`. @default "" */
  readonly param?: string;
  readonly cause?: unknown;
}

/**
 * The server rejected a request or could not be reached.
 *
 * @example
 * try {
 *   await client.run(id);
 * } catch (error) {
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

/**
 * Returns the error for a response with an error status, whether or not its body has the API's
 * form.
 */
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

/** Ignore smaller differences: `Date` has whole seconds, and the network has a delay. */
const smallestDifferenceMs = 2_500;

/** Estimates the server's time from the `Date` header of its responses. */
export class ServerClock {
  #offsetMs = 0;

  /** Updates the estimate with the `Date` header of a response. */
  note(header: string | null): void {
    const server = header === null ? Number.NaN : Date.parse(header);
    if (Number.isNaN(server)) return;
    const difference = Date.now() - server;
    this.#offsetMs = Math.abs(difference) > smallestDifferenceMs ? difference : 0;
  }

  /** Returns the server's time, in ms since the epoch. */
  now(): number {
    return Date.now() - this.#offsetMs;
  }
}

export interface Connection {
  /** Has no slash at the end; empty for the origin of the page. */
  readonly url: string;
  readonly key: () => string | null | undefined;
  readonly fetch: typeof fetch;
  readonly clock: ServerClock;
  readonly keyHint: string | undefined;
  readonly antiForgeryToken: () => string | null | undefined;
  readonly program?: string | undefined;
}

export interface RequestOptions {
  /** @default "GET" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as `multipart/form-data`, in place of `body`. */
  readonly form?: FormData;
  /** @default "application/json" */
  readonly accept?: string;
  /** Lets the request outlive the page. @default false */
  readonly keepalive?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request.
 *
 * @throws ApiError if the response is an error, or there is none; the signal's reason if it
 *   aborts
 */
export async function send(
  { url, key: keyOf, fetch, clock, keyHint, antiForgeryToken, program }: Connection,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { method = "GET", body, form, accept = "application/json", keepalive, signal } = options;
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
        ...(program !== undefined && { "capstan-program": program }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
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
