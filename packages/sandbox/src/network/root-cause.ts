import { NetworkError } from "./network-error.ts";

/** The maximum number of causes below an error that are searched. */
const maxDepth = 5;

/**
 * Returns the error at the root of a failed request, for its message: the nearest `NetworkError`,
 * or else the innermost cause. Of several attempts, the first one counts.
 */
export function rootCause(thrown: unknown): unknown {
  let cause = thrown;
  for (let depth = 0; depth < maxDepth && cause instanceof Error; depth++) {
    if (cause instanceof NetworkError || cause.cause === undefined) break;
    cause = cause.cause;
  }
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors[0] as unknown;
  return cause;
}
