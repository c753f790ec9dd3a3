import type { ErrorBody } from "@capstan/contract";

/** What went wrong with a request: the server's own words, or that there is no server. */
export class ApiError extends Error {
  /** HTTP's number; 0 where no answer came. */
  readonly status: number;
  readonly code: string;
  /** The field that is wrong, such as `when.path`; empty where it is none. */
  readonly param: string;

  constructor(status: number, code: string, message: string, param = "") {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** The server could not be reached. */
export function unreachable(): ApiError {
  return new ApiError(0, "unreachable", "The server cannot be reached. Is it still running?");
}

/** The error of an answer that is not fine, in the API's form or not. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = parseErrorBody(text);
  const message =
    body?.error.message ?? `The server answered ${response.status} ${response.statusText}.`;
  const { code = "unknown", param } = body?.error ?? {};
  return new ApiError(response.status, code, message, param);
}

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>;
    return typeof body.error?.message === "string" ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** What people read of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * A refusal without the place that it begins with, for where that can be seen.
 *
 * @example withoutPlace("tool: there is no tool x.", "tool") // "There is no tool x."
 */
export function withoutPlace(message: string, place: string): string {
  const begins = `${place}: `;
  if (!message.startsWith(begins)) return message;
  const rest = message.slice(begins.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Whether the caller itself stopped the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
