import type { ApiError } from "./api-error.ts";

/** Thrown by routes; the app turns it into an error response. */
export class RequestError extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "RequestError";
    this.error = error;
  }
}

/** The error for a record that does not exist or has another owner. Both are the same, so that ids reveal nothing. */
export function notFound(what: string, id: string): RequestError {
  return new RequestError({
    status: 404,
    type: "invalid_request_error",
    code: `${what.replaceAll(" ", "_")}_not_found`,
    param: "id",
    message: `There is no ${what} "${id.slice(0, 100)}" here.`,
  });
}

export function conflict(message: string): RequestError {
  return new RequestError({
    status: 409,
    type: "invalid_request_error",
    code: "conflict",
    param: "request",
    message,
  });
}

export function tooLarge(param: string, message: string): RequestError {
  return new RequestError({
    status: 413,
    type: "invalid_request_error",
    code: "string_above_max_length",
    param,
    message,
  });
}

export function badRequest(param: string, message: string): RequestError {
  return new RequestError({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message,
  });
}
