import { constants } from "node:os";

/**
 * Ctrl-C or a `kill` ends the process with `process.exit`, so that its exit handlers remove what it
 * started. The signal's default action would skip them.
 */
export function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      process.stdout.write(`\nStopped by ${signal}; what was started is taken away.\n`);
      process.exit(128 + constants.signals[signal]);
    });
}
