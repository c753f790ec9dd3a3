import { NetworkError } from "@capstan/sandbox";
import type { ServiceReply } from "./service-client.ts";

/** The failures of requests to outside services, for the documentation of tools. */
export const serviceErrors = {
  denied_host: "a rule denies the host of the service",
  private_address: "the service's name leads to a private address",
  unreachable: "the service cannot be reached",
  timed_out: "the service did not answer in time",
  rate_limited: "too many requests; the call can be repeated later",
  unauthorized: "the service rejects the key, or the client",
  rejected: "the service rejects the request; the message has its reason",
  service_failed: "the service failed; the call can be repeated",
  unexpected_reply: "the service sent an unexpected reply",
  too_large: "the reply is too large",
} as const;

/**
 * Returns the failure of a reply with a status other than 2xx.
 *
 * @param reason the service's own text; it is untrusted, and truncated after 500 characters
 */
export function replyFailure(
  reply: Pick<ServiceReply, "status" | "header">,
  service: string,
  reason: string,
): NetworkError {
  const { status } = reply;
  const said = oneLine(reason);
  const told = said === "" ? "" : `: ${said}`;
  if (status === 429 || (status === 503 && reply.header("retry-after") !== undefined)) {
    const retryAfterMs = retryAfter(reply.header("retry-after"));
    const wait =
      retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} seconds`;
    return new NetworkError({
      code: "rate_limited",
      message: `${service} received too many requests (${status})${told}. Try again ${wait}.`,
      retryable: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      details: { status },
    });
  }
  const code =
    status === 401 || status === 403
      ? "unauthorized"
      : status >= 500
        ? "service_failed"
        : status >= 400
          ? "rejected"
          : "unexpected_reply";
  return new NetworkError({
    code,
    message: `${service} answered with status ${status}${told || "."}`,
    retryable: status >= 500,
    details: { status },
  });
}

/**
 * Returns the milliseconds of a `Retry-After` header, in seconds or as a date, or `undefined` if it
 * is neither.
 *
 * @example retryAfter("30") // 30000
 */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,7}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return text === "" || Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 20_000)
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
