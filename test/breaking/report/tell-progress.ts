export interface ProgressOptions {
  readonly times: number;
  readonly say: (text: string) => void;
  /** A monotonic clock in ms. @default performance.now */
  readonly now?: () => number;
  /** The shortest time between two lines, in ms. @default 10 s */
  readonly everyMs?: number;
}

/** Prints the progress of a long proof. A short proof prints nothing before its result. */
export function tellProgress({
  times,
  say,
  now = () => performance.now(),
  everyMs = 10_000,
}: ProgressOptions): (done: number) => void {
  const started = now();
  let said = started;
  return (done) => {
    if (now() - said < everyMs || done >= times) return;
    said = now();
    say(`  round ${done} of ${times}, ${((said - started) / 1_000).toFixed(0)} s\n`);
  };
}
