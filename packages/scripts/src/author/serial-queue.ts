/**
 * Makes a line in which pieces of work wait for each other. Who gave up while waiting is not begun.
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
