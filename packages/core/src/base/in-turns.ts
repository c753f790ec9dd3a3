/**
 * Runs work in steps, and yields to the event loop after every `turnMs`, so that other work is not
 * delayed.
 *
 * @param options.turnMs the time after which it waits, in milliseconds
 * @param options.nextTurn resolves in a later turn
 * @example await inTurns(toolIndexSteps(tools), { turnMs: 20, nextTurn })
 */
export async function inTurns<T>(
  steps: Generator<void, T>,
  options: { readonly turnMs: number; readonly nextTurn: () => Promise<unknown> },
): Promise<T> {
  const { turnMs, nextTurn } = options;
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < turnMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
