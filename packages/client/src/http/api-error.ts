import type { ErrorBody } from "@capstan/contract";

/** What went wrong with a request, as data. */
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
