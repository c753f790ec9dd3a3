import { backoffDelay, createClient, type Retry } from "@capstan/client";
import { antiForgeryToken } from "./anti-forgery-token.ts";
import { apiKey, askForApiKey } from "./api-key.ts";
import { hasStatus, isAbort } from "./api-error.ts";
import { noteLost, noteReached } from "./server-presence.ts";
import { waitToRetry } from "./wait-to-retry.ts";

/** The client for the server that served this page. */
export const client = createClient({ key: apiKey, antiForgeryToken, fetch: watchedFetch });

/**
 * Records whether the server can be reached, and asks for a key if the server rejects the current
 * one.
 */
async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const key = apiKey();
  try {
    const response = await fetch(...request);
    noteReached();
    // The user may have entered another key since this request was sent.
    if (response.status === 401 && apiKey() === key) askForApiKey();
    return response;
  } catch (error) {
    if (!isAbort(error)) noteLost();
    throw error;
  }
}

/** Returns a retry policy that reconnects until the stream no longer exists or `signal` aborts. */
export function retryUntilGone(signal: AbortSignal): Retry {
  return async (failure, failures) => {
    if (isGone(failure)) throw failure;
    await waitToRetry(backoffDelay(failures - 1), signal);
  };
}

/**
 * Returns whether the server reports that the resource does not exist, or that this user has no
 * access to it.
 */
export function isGone(error: unknown): boolean {
  return hasStatus(error, 403) || hasStatus(error, 404);
}
