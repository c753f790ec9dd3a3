/**
 * Creates a queue that runs one piece of work at a time. Skips work whose signal aborted while it waited.
 *
 * @example
 * const write = createSerialQueue();
 * await write(() => save(file));
 */
export function createSerialQueue(): <T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const mine = last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    last = mine.catch(() => {});
    return mine;
  };
}
