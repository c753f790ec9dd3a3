import type { ModelError } from "@capstan/core";

const maxTries = 3;
const firstDelayMs = 500;
const longestDelayMs = 8_000;
const longestRetryAfterMs = 30_000;

/**
 * How long to wait before another try, in ms; undefined where there is to be none. Exponential
 * with full jitter, so that many who failed together do not come back together; a provider that
 * names its own time is heeded up to 30 s.
 *
 * @param tries how often it was tried
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
