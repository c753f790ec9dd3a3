const stops = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when a signal of the chain's own aborts; does nothing for one that has. All that
 * wait for a signal share one listener, which stays: to put one there and take it away each round
 * costs more than the round's events.
 *
 * @returns what takes it back
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  let waiting = stops.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    stops.set(signal, (waiting = all));
    signal.addEventListener("abort", () => [...all].forEach((each) => each()), { once: true });
  }
  const others = waiting;
  others.add(stop);
  return () => void others.delete(stop);
}
