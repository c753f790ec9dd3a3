import type { ErrorBody } from "@capstan/contract";

/** What went wrong with a request, before it becomes an HTTP answer. */
export interface ApiError {
  /** The HTTP status. */
  readonly status: number;
  readonly type: string;
  /** Stable, snake_case. */
  readonly code: string;
  /** The part of the request that is wrong, as a path: `input[0].arguments`; `request` where it is the whole. */
  readonly param: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** Either what was asked for, or what is wrong with the request. */
export type Parsed<T> =
  | { readonly status: "ok"; readonly value: T }
  | { readonly status: "error"; readonly error: ApiError };

/**
 * A request that cannot be served as it stands: status 400 unless said otherwise.
 *
 * @example invalidRequest({ param: "model", code: "model_not_found", message: "…" , status: 404 })
 */
export function invalidRequest(options: {
  readonly message: string;
  /** @default "request" */
  readonly param?: string;
  /** @default "invalid_request" */
  readonly code?: string;
  /** @default 400 */
  readonly status?: number;
}): ApiError {
  return {
    status: options.status ?? 400,
    type: "invalid_request_error",
    code: options.code ?? "invalid_request",
    param: options.param ?? "request",
    message: options.message,
  };
}

export function missingParameter(param: string): ApiError {
  return invalidRequest({
    param,
    code: "missing_required_parameter",
    message: `Missing required parameter: '${param}'.`,
  });
}

/** The body of an HTTP error: all four keys, all text, or a client shows "Bad Request" instead. */
export function errorBody(error: ApiError): ErrorBody {
  const { message, type, param, code } = error;
  return { error: { message, type, param: param || "request", code: code || type } };
}

export function ok<T>(value: T): Parsed<T> {
  return { status: "ok", value };
}

export function failed(error: ApiError): { readonly status: "error"; readonly error: ApiError } {
  return { status: "error", error };
}
