import type { ModelError } from "@capstan/core";

const maxTries = 3;
const firstDelayMs = 500;
const longestDelayMs = 8_000;
const longestRetryAfterMs = 30_000;

/**
 * Returns the delay before another attempt, in ms; undefined if there is none. The delay is
 * exponential with full jitter, so that clients that failed at the same time do not retry at the
 * same time. A delay that the provider names is limited to 30 s.
 *
 * @param tries the number of attempts so far
 * @param random from 0 to below 1
 */
export function retryDelay(
  error: ModelError,
  tries: number,
  random: () => number,
): number | undefined {
  const isPassing =
    error.code === "rate_limit" || error.code === "connection" || error.code === "server";
  if (!isPassing || tries >= maxTries) return undefined;
  if (error.retryAfterMs !== undefined)
    return error.retryAfterMs > longestRetryAfterMs ? undefined : error.retryAfterMs;
  return Math.round(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (tries - 1)));
}
