import { onAbort } from "../calls/on-abort.ts";

/**
 * Hands each value of a stream to `take` as it comes, until that says `"enough"`, the stream ends
 * or the signal aborts. Who ignores the signal is left behind. A promise that `take` returns holds
 * the stream back.
 *
 * @param signal the chain's own, on which a listener stays
 * @throws what the stream throws, or `take`; the signal's reason where it aborts
 */
export function readStream<T>(
  values: AsyncIterator<T>,
  signal: AbortSignal,
  take: (value: T) => "enough" | Promise<unknown> | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;

  const end = (settle: () => void): void => {
    isOver = true;
    unsubscribe?.();
    settle();
  };
  const leave = (settle: () => void): void => {
    if (isOver) return;
    end(settle);
    closeStream(values);
  };
  const stop = (): void => leave(() => reject(signal.reason as Error));
  const read = async (): Promise<void> => {
    try {
      while (!isOver) {
        const result = await values.next();
        if (isOver) return;
        if (result.done === true) return end(resolve);
        const more = take(result.value);
        if (more === "enough") leave(resolve);
        else if (more !== undefined) await more;
      }
    } catch (thrown) {
      leave(() => reject(thrown));
    }
  };

  let unsubscribe: (() => void) | undefined;
  if (signal.aborted) stop();
  else {
    unsubscribe = onAbort(signal, stop);
    void read();
  }
  return promise;
}

/** What a stream says after its end means nothing, and it may never close. */
function closeStream(values: AsyncIterator<unknown>): void {
  try {
    // Nobody listens any more.
    Promise.resolve(values.return?.()).catch(() => {});
  } catch {
    // Nor to this.
  }
}
