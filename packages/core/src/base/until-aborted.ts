/**
 * Returns the value of a promise. Rejects with the signal's reason as soon as the signal aborts.
 *
 * @example await untilAborted(fetch("https://example.org"), AbortSignal.timeout(1_000));
 */
export async function untilAborted<T>(
  promise: PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
