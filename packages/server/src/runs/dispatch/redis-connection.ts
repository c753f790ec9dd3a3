import { Redis } from "ioredis";

export interface RedisConnection {
  readonly client: Redis;
  readonly isUp: boolean;
  /** Resolves once it is up, or the signal is aborted. */
  up(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The longest pause between two tries to connect. */
const longestPauseMs = 2_000;

/**
 * A connection to Redis that is made anew for as long as it takes. What is sent while there is none
 * fails at once: nothing piles up.
 */
export function openRedis(options: {
  readonly url: string;
  /** What is sent waits for Redis instead. @default false */
  readonly waits?: boolean;
  /** Told once that it is gone, and once that it is back. */
  readonly onChange?: (isUp: boolean, cause: string) => void;
}): RedisConnection {
  const { url, waits = false, onChange } = options;
  const client = new Redis(url, {
    maxRetriesPerRequest: null,
    enableOfflineQueue: waits,
    retryStrategy: (times) => Math.min(times * 100, longestPauseMs),
  });
  let isUp = false;
  let said: boolean | undefined;
  let cause = "the connection has ended";
  const say = (up: boolean) => {
    isUp = up;
    if (said === up) return;
    // That it is there at the start is no news.
    if (said !== undefined || !up) onChange?.(up, cause);
    said = up;
  };
  client.on("ready", () => say(true));
  client.on("error", (error: Error) => {
    cause = error.message;
    if (!isUp) say(false);
  });
  client.on("close", () => say(false));
  return {
    client,
    get isUp() {
      return isUp;
    },
    up: (signal) =>
      new Promise((resolve) => {
        if (isUp || signal.aborted) return resolve();
        const done = () => {
          client.off("ready", done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        client.on("ready", done);
        signal.addEventListener("abort", done);
      }),
    close: () => {
      // That it goes now is no news.
      said = false;
      client.disconnect();
    },
  };
}
