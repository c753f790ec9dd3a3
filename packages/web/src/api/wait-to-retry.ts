/** The part of `window` whose events end a pause. */
export type PageEvents = EventTarget & {
  readonly document: Pick<Document, "visibilityState">;
};

/**
 * The shortest pause in milliseconds, so that typing does not cause an attempt for each key press.
 */
const shortest = 200;

/** Events that suggest that the network is back or that the user is waiting for it. */
const signs = ["online", "visibilitychange", "focus", "pointerdown", "keydown"] as const;

const pauses = new Set<() => void>();

/**
 * Waits between two attempts to reach the server. The wait ends early if the network is back, the
 * page is shown again, the user clicks or types, `retryNow` is called, or `signal` aborts.
 *
 * @example await waitToRetry(backoffDelay(attempt), signal)
 */
export function waitToRetry(
  ms: number,
  signal: AbortSignal,
  page: PageEvents = window,
): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    let isRested = ms <= shortest;
    let isHurried = false;
    const end = () => {
      clearTimeout(timer);
      clearTimeout(rest);
      pauses.delete(end);
      over.abort();
      resolve();
    };
    const hurry = () => {
      isHurried = true;
      if (isRested) end();
    };
    const timer = setTimeout(end, ms);
    const rest = setTimeout(() => {
      isRested = true;
      if (isHurried) end();
    }, shortest);
    pauses.add(end);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { signal: over.signal });
    for (const sign of signs) {
      const onSign = () => {
        if (sign !== "visibilitychange" || page.document.visibilityState === "visible") hurry();
      };
      // Listen in the capture phase, before an element can stop the event.
      page.addEventListener(sign, onSign, { capture: true, passive: true, signal: over.signal });
    }
  });
}

/** Ends all pauses, because the server was reached. */
export function retryNow(): void {
  for (const end of pauses) end();
}
