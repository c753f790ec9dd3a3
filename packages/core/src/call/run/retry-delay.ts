import type { RetryPolicy } from "../../tool/tool.ts";
import type { ToolErrorData } from "../../base/errors.ts";

export interface RetryDelayOptions {
  readonly policy: RetryPolicy;
  readonly error: ToolErrorData;
  /** Tries that were made; 1 after the first. */
  readonly tries: number;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * Ms until the next try: full jitter over a doubling bound, so that callers that failed together
 * do not come back together; never sooner than the error asks. Undefined where there is no next try.
 *
 * @example retryDelay({ policy: { attempts: 3 }, error: { code: "busy", message: "", retryable: true }, tries: 1, random: 0.5 }) // 100
 */
export function retryDelay({
  policy,
  error,
  tries,
  random,
}: RetryDelayOptions): number | undefined {
  if (tries >= policy.attempts || error.retryable !== true) return undefined;
  const { baseMs = 200, maxMs = 10_000 } = policy;
  const bound = Math.min(maxMs, baseMs * 2 ** (tries - 1));
  return Math.max(random * bound, error.retryAfterMs ?? 0);
}
