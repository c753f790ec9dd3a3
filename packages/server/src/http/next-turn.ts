/** How long streams may write before other work gets its turn, in ms. */
const turnMs = 8;

/** When the first stream wrote in this turn of the event loop. */
let began: number | undefined;

/**
 * Waits for the next turn of the event loop, if streams have written for long in this one. Sockets
 * of readers that are fast take all that is written at once, and then streams alone would run:
 * promises come before timers, other requests and other connections.
 */
export async function nextTurn(): Promise<void> {
  const now = performance.now();
  if (began === undefined) {
    began = now;
    setImmediate(() => (began = undefined));
  } else if (now - began > turnMs) await new Promise<void>((resolve) => setImmediate(resolve));
}
