import { type ToolError, toolError } from "@capstan/core";
import { connectionErrors } from "../../transport/connection-error.ts";

/** The error codes of operations, for the documentation of tools. */
export const operationErrors = {
  ...connectionErrors,
  invalid_arguments: "a value cannot be sent; nothing was sent",
  private_address: "the service's name leads to a private address; nothing was sent",
  timed_out: "the service did not answer in time; the call can be repeated",
} as const;

/** The longest wait after which a call is repeated without the model. */
const longestWaitMs = 20_000;

/** A failed response. */
export interface FailedResponse {
  readonly status: number;
  /** The body, cut and without secrets. */
  readonly text: string;
  readonly retryAfterMs?: number;
}

/**
 * Returns the error of a response with a status from 400 on, with advice on what the model can
 * change.
 *
 * @param options.mayRepeat whether the same request can be repeated without harm
 */
export function responseError(
  name: string,
  { status, text, retryAfterMs }: FailedResponse,
  { mayRepeat }: { readonly mayRepeat: boolean },
): ToolError {
  const detail = text === "" ? "." : `: ${text}`;
  const details = { status };
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  // The gate waits before it repeats a call. The model decides about longer waits.
  const retryable = (retryAfterMs ?? 0) <= longestWaitMs;
  const wait =
    retryAfterMs === undefined
      ? "Try again later."
      : `Try again in ${Math.ceil(retryAfterMs / 1_000)} seconds.`;
  if (status === 429)
    return toolError({
      code: "rate_limited",
      message: `${name} received too many requests (429)${detail}\nThe request was not carried out. ${wait}`,
      retryable,
      details,
      ...later,
    });
  if (status === 401)
    return toolError({
      code: "sign_in_needed",
      message: `${name} rejects the credentials (401)${detail}\nAn administrator must set them in connections.${name}.`,
      details,
    });
  if (status === 403)
    return toolError({
      code: "rejected",
      message: `${name} does not allow this request with the configured credentials (403)${detail}`,
      details,
    });
  if (status < 500)
    return toolError({
      code: "rejected",
      message: `${name} rejects the request (${status})${detail}\n${adviceOn(status)}`,
      details,
    });
  if (mayRepeat)
    return toolError({
      code: "server_error",
      message: `${name} failed (${status})${detail}\n${wait}`,
      retryable,
      details,
      ...later,
    });
  const isGateway = status === 502 || status === 503 || status === 504;
  return toolError({
    code: isGateway ? "outcome_unknown" : "server_error",
    message: `${name} failed (${status})${detail}\nThe request may have been carried out: check before you call it again.`,
    details,
  });
}

function adviceOn(status: number): string {
  if (status === 404 || status === 410)
    return "There is nothing at this address: check the ids in the arguments.";
  if (status === 409 || status === 412)
    return "The request conflicts with the current state: read the current state first.";
  if (status === 405 || status === 501) return "The service does not have this operation.";
  return "Change the arguments that the message names.";
}

/**
 * Returns the milliseconds of a `Retry-After` header, which has seconds or a date.
 *
 * @example retryAfterOf("30") // 30000
 */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,7}$/.test(text)) return Number(text) * 1_000;
  const date = text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
