import { onAbort } from "./on-abort.ts";

/**
 * What a promise gives, or undefined as soon as the signal aborts; what comes of it later is
 * ignored.
 *
 * @param signal the chain's own, on which a listener stays
 */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const unsubscribe = onAbort(signal, () => resolve(undefined));
  if (signal.aborted) resolve(undefined);
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    unsubscribe();
  }
}
