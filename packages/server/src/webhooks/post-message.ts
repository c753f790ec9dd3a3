import { errorMessage } from "@capstan/core/host";
import { signMessage } from "./sign-message.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

/** How an endpoint answered. */
export type Delivery =
  | { readonly status: "accepted" }
  /** The endpoint is closed for good: HTTP 410. */
  | { readonly status: "gone" }
  /** `reason` does not contain the secret. */
  | { readonly status: "failed"; readonly reason: string };

/** The time in which an endpoint must answer, in milliseconds. */
const answerMs = 15_000;

/**
 * Sends a signed message to an endpoint. Any status from 200 to 299 accepts it. It follows no
 * redirect, because the message is meant for the configured address only.
 *
 * @param options.now ms since the epoch
 */
export async function postMessage(
  { url, secret }: WebhookEndpoint,
  { id, body }: { readonly id: string; readonly body: string },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<Delivery> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "capstan",
        ...signMessage({ id, timestamp: Math.floor(now / 1_000), body }, secret),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return { status: "accepted" };
    if (response.status === 410) return { status: "gone" };
    return { status: "failed", reason: `it answered with the status ${response.status}` };
  } catch (thrown) {
    const isLate = (thrown as { readonly name?: unknown }).name === "TimeoutError";
    const reason = isLate ? `no answer within ${answerMs / 1_000} seconds` : causeOf(thrown);
    return { status: "failed", reason };
  }
}

/** The message of `fetch` itself says nothing about the cause. */
function causeOf(thrown: unknown): string {
  const { cause } = thrown as { readonly cause?: unknown };
  return errorMessage(cause ?? thrown);
}
