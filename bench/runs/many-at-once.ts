/**
 * Repeats a task, a number of repetitions at the same time. @returns the total duration in ms
 */
export async function manyAtOnce(
  count: number,
  atOnce: number,
  what: () => Promise<unknown>,
): Promise<number> {
  let left = count;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await what();
    }),
  );
  return performance.now() - started;
}
