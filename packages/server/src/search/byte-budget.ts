/** Limits the bytes in memory of simultaneous work for several users. */
export interface ByteBudget {
  /**
   * Waits until the bytes are free. Waiting users are served in round-robin order. Work that needs
   * more bytes than the whole budget runs alone.
   *
   * @returns a function that frees the bytes; call it once
   * @throws the signal's reason
   */
  take(user: string, bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** Creates a budget. */
export function createByteBudget(total: number): ByteBudget {
  /** Users in round-robin order. */
  const waiting = new Map<string, Waiting[]>();
  let used = 0;

  const startNext = (): void => {
    for (;;) {
      const [next] = waiting;
      const first = next?.[1][0];
      if (next === undefined || first === undefined) return;
      if (used > 0 && used + first.bytes > total) return;
      const [user, own] = next;
      own.shift();
      waiting.delete(user);
      if (own.length > 0) waiting.set(user, own);
      used += first.bytes;
      first.start();
    }
  };

  return {
    take: (user, bytes, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          const own = waiting.get(user)?.filter((each) => each !== entry) ?? [];
          if (own.length === 0) waiting.delete(user);
          else waiting.set(user, own);
          reject(signal.reason as Error);
          startNext();
        };
        const entry: Waiting = {
          bytes,
          start: () => {
            signal.removeEventListener("abort", abort);
            resolve(() => {
              used -= bytes;
              startNext();
            });
          },
        };
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        signal.addEventListener("abort", abort, { once: true });
        const own = waiting.get(user);
        if (own === undefined) waiting.set(user, [entry]);
        else own.push(entry);
        startNext();
      }),
  };
}
