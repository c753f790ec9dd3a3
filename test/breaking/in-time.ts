/** The longest time for all runs to end after the last fault. */
const usualMs = 120_000;

/**
 * Resolves with the work's result, or fails after a long time with a message that names the work.
 *
 * @param limitMs @default two minutes
 */
export async function inTime<T>(work: Promise<T>, what: string, limitMs = usualMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${limitMs / 1_000} s.`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
