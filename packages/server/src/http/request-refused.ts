import type { ApiError } from "./api-error.ts";

/** Thrown in a route, answered by the app as an error of the API. */
export class RequestRefused extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "RequestRefused";
    this.error = error;
  }
}

/** What is not there, or is another's: the same answer, so that ids tell nothing. */
export function notFound(what: string, id: string): RequestRefused {
  return new RequestRefused({
    status: 404,
    type: "invalid_request_error",
    code: `${what.replaceAll(" ", "_")}_not_found`,
    param: "id",
    message: `There is no ${what} "${id.slice(0, 100)}" here.`,
  });
}

export function conflict(message: string): RequestRefused {
  return new RequestRefused({
    status: 409,
    type: "invalid_request_error",
    code: "conflict",
    param: "request",
    message,
  });
}

export function tooLarge(param: string, message: string): RequestRefused {
  return new RequestRefused({
    status: 413,
    type: "invalid_request_error",
    code: "string_above_max_length",
    param,
    message,
  });
}

export function badRequest(param: string, message: string): RequestRefused {
  return new RequestRefused({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message,
  });
}
