import type { ChainError } from "@capstan/core";
import { RequestError, type RequestErrorOptions } from "./errors.ts";

type Failure = Required<Pick<RequestErrorOptions, "status" | "type" | "code">>;

const failures: { readonly [code: string]: Failure } = {
  rate_limit: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  insufficient_quota: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  context_length: {
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
  bad_request: { status: 400, type: "invalid_request_error", code: "invalid_prompt" },
  model_not_found: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  timeout: { status: 504, type: "server_error", code: "upstream_timeout" },
  aborted: { status: 409, type: "invalid_request_error", code: "cancelled" },
};

/** The provider's failures that its own clients retry. */
const upstream: ReadonlySet<string> = new Set([
  "authentication",
  "connection",
  "server",
  "empty_answer",
  "format_mismatch",
]);

/** A repeat of the request would fail again, whatever the status. */
const lasting: ReadonlySet<string> = new Set([
  "authentication",
  "insufficient_quota",
  "context_length",
  "bad_request",
  "model_not_found",
]);

/** Seconds after which a client may try again if the provider names no time. */
const defaultRetrySeconds = 5;

/**
 * Returns the HTTP error for a run that failed, so that the retries of a client's SDK fire. A
 * rejected key of the provider is the installation's fault, not the client's, so it is a 502.
 */
export function chainFailure({ code, message, retryAfterMs }: ChainError): RequestError {
  const known = Object.hasOwn(failures, code) ? failures[code] : undefined;
  const other: Failure = {
    status: upstream.has(code) ? 502 : 500,
    type: "server_error",
    code: "server_error",
  };
  const seconds =
    retryAfterMs === undefined ? defaultRetrySeconds : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const isTimed = code === "rate_limit" || retryAfterMs !== undefined;
  return new RequestError({
    ...(known ?? other),
    message,
    ...(isTimed && !lasting.has(code) && { retryAfterSeconds: seconds }),
    ...(lasting.has(code) && { retryable: false }),
  });
}

/**
 * Returns the HTTP error of a model that failed before its run had any output, or `undefined` if the
 * failure is not the model's.
 */
export function upstreamFailure(error: ChainError): RequestError | undefined {
  const isModels = error.phase === "model" || error.phase === "final_response";
  return isModels ? chainFailure(error) : undefined;
}
