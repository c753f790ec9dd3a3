import { constants } from "node:os";

/**
 * Ctrl-C or a `kill` ends the process at once, as an exit of its own: what it started is taken away
 * as it exits, which a signal's own end would not do.
 */
export function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      process.stdout.write(`\nStopped by ${signal}; what was started is taken away.\n`);
      process.exit(128 + constants.signals[signal]);
    });
}
