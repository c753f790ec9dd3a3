import { backoffDelay, createClient, type Retry } from "@capstan/client";
import { antiForgeryToken } from "./anti-forgery-token.ts";
import { apiKey, askForApiKey } from "./api-key.ts";
import { hasStatus, isAbort } from "./api-error.ts";
import { noteLost, noteReached } from "./server-presence.ts";
import { waitToRetry } from "./wait-to-retry.ts";

/** The server that the page came from. */
export const client = createClient({ key: apiKey, antiForgeryToken, fetch: watchedFetch });

/** Notes whether the server is there, and asks for a key if it rejects the current one. */
async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const key = apiKey();
  try {
    const response = await fetch(...request);
    noteReached();
    // Another key may have been given since this was sent.
    if (response.status === 401 && apiKey() === key) askForApiKey();
    return response;
  } catch (error) {
    if (!isAbort(error)) noteLost();
    throw error;
  }
}

/** Follows a stream as long as the page is open; gives up only if the stream is gone. */
export function retryUntilGone(signal: AbortSignal): Retry {
  return async (failure, failures) => {
    if (isGone(failure)) throw failure;
    await waitToRetry(backoffDelay(failures - 1), signal);
  };
}

/** Whether the server knows no such thing, or does not show it to this user. */
export function isGone(error: unknown): boolean {
  return hasStatus(error, 403) || hasStatus(error, 404);
}
