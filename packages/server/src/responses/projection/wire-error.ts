import type { ChainError } from "@capstan/core";
import type { UnnumberedEvent, WireError } from "./wire.ts";

/** The codes that clients know; all others are `server_error`. */
const wireCodes: { readonly [code: string]: string } = {
  rate_limit: "rate_limit_exceeded",
  insufficient_quota: "insufficient_quota",
  context_length: "context_length_exceeded",
  bad_request: "invalid_prompt",
};

export function wireError(error: ChainError): WireError {
  const code = Object.hasOwn(wireCodes, error.code) ? wireCodes[error.code] : undefined;
  return { code: code ?? "server_error", message: error.message + retryHint(error) };
}

/** In these words a client looks for how long to wait. */
function retryHint({ code, retryAfterMs }: ChainError): string {
  if (code !== "rate_limit" || retryAfterMs === undefined) return "";
  return ` Please try again in ${(retryAfterMs / 1000).toFixed(1)}s.`;
}

/** The event that comes before `response.failed`. */
export function errorEvent({ code, message }: WireError): UnnumberedEvent {
  const type = code === "server_error" ? "server_error" : "invalid_request_error";
  return { type: "error", code, message, param: null, error: { type, code, message, param: null } };
}
