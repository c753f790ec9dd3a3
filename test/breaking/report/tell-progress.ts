export interface ProgressOptions {
  readonly times: number;
  readonly say: (text: string) => void;
  /** In ms, from anywhere. @default performance.now */
  readonly now?: () => number;
  /** The shortest time between two lines, in ms. @default 10 s */
  readonly everyMs?: number;
}

/** Says how far a long proof has come: of a short one nothing, as its end says it all. */
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
