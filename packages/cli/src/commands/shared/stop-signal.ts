export type StopSignal = "SIGINT" | "SIGTERM";

/** Resolves with the first stop signal. */
export function stopSignal(): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal));
  return promise;
}

/**
 * Calls `leave` on a later signal. Ignores a signal within `afterMs`: a terminal sends Ctrl+C to
 * both `npm start` and its child process, and npm forwards it.
 */
export function onSecondSignal(leave: (signal: StopSignal) => void, afterMs = 500): void {
  const from = performance.now() + afterMs;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (performance.now() >= from) leave(signal);
    });
  }
}
