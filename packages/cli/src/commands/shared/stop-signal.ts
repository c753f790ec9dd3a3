export type StopSignal = "SIGINT" | "SIGTERM";

/** Resolves with the first signal to stop. */
export function stopSignal(): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal));
  return promise;
}

/**
 * Tells of another signal. Not of one that comes at once: a terminal sends Ctrl+C to `npm start`
 * and to what it runs, and npm passes it on.
 */
export function onSecondSignal(leave: (signal: StopSignal) => void, afterMs = 500): void {
  const from = performance.now() + afterMs;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (performance.now() >= from) leave(signal);
    });
  }
}
