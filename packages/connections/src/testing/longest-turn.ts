const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * Returns the longest turn of the event loop during some work, in milliseconds of this thread's
 * processor time.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let last = cpuMs();
  const endTurn = () => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(endTurn, 1);
  await work();
  clearInterval(timer);
  endTurn();
  return longestMs;
}

/** Returns the processor time of work that runs in one turn, in milliseconds. */
export function timeOf(work: () => unknown): number {
  const start = cpuMs();
  work();
  return cpuMs() - start;
}
