import { ApiError } from "../http/send.ts";

/**
 * Returns the delay before the next attempt: half a second, doubled each time up to `limit`, minus
 * up to half at random, so that many clients do not reconnect at once.
 *
 * @param attempt counted from 0
 * @param limit the longest delay, in milliseconds @default 1500
 * @returns milliseconds
 * @example backoffDelay(3) // 750 to 1500
 */
export function backoffDelay(attempt: number, limit = 1_500, random = Math.random): number {
  const full = Math.min(500 * 2 ** attempt, limit);
  return full - (full / 2) * random();
}

/**
 * Called when the server has accepted a stream. @param isOver whether the stream will have no more
 * events
 */
export type Opened = (isOver?: boolean) => void;

/** `open`: the server accepted the stream; `reconnecting`: the connection broke. */
export type FollowStatus = "open" | "reconnecting";

/**
 * Waits before the next connection, or throws to give up.
 *
 * @param failures the number of connections in a row without a new event, from 1
 */
export type Retry = (failure: unknown, failures: number) => Promise<void>;

/** The stream ends after this many failures in a row. */
const maxFailures = 6;

export interface FollowOptions<Event> {
  /** Opens a stream after the last event, and calls `opened` when the server has accepted it. */
  readonly open: (opened: Opened) => AsyncIterable<Event>;
  /**
   * Returns whether the event was not yielded before. Called once for each event. @default all are
   * new
   */
  readonly isNew?: (event: Event) => boolean;
  readonly isLast: (event: Event) => boolean;
  readonly signal: AbortSignal;
  readonly retry?: Retry;
  readonly onStatus?: (status: FollowStatus) => void;
}

/** A stream that lasted less than this is opened again after a pause. */
const minStreamMs = 1_000;

/**
 * Yields the events of a stream until the last one, and reopens the stream when it breaks.
 *
 * @throws the error of `retry`; the signal's reason if it aborts
 */
export async function* follow<Event>(options: FollowOptions<Event>): AsyncGenerator<Event> {
  const { open, isLast, signal, retry = retryWithBackoff(signal), onStatus } = options;
  for (let failures = 0; ;) {
    let failure: unknown;
    let isEmpty = true;
    let isOver = false;
    const opened: Opened = (over = false) => {
      isOver = over;
      onStatus?.("open");
    };
    const openedAt = performance.now();
    try {
      for await (const event of open(opened)) {
        if (options.isNew?.(event) === false) continue;
        isEmpty = false;
        failures = 0;
        yield event;
        if (isLast(event)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
      onStatus?.("reconnecting");
    }
    signal.throwIfAborted();
    if (isOver) return;
    // Reopen a stream that brought events and ended without an error. Without the pause, a server
    // that ends each stream early would get thousands of requests a second.
    if (failure === undefined && !isEmpty) {
      const lasted = performance.now() - openedAt;
      if (lasted < minStreamMs) await delay(backoffDelay(0), signal);
      continue;
    }
    failures++;
    await retry(failure, failures);
  }
}

/** Gives up after six failures in a row, and at once if the server rejects the request. */
function retryWithBackoff(signal: AbortSignal): Retry {
  return async (failure, failures) => {
    const isRejected = failure instanceof ApiError && failure.status >= 400 && failure.status < 500;
    if (isRejected) throw failure;
    if (failures >= maxFailures)
      throw new ApiError({
        status: 0,
        code: "connection_lost",
        message: `The connection to the server is lost: ${failures} attempts in a row failed.`,
        cause: failure,
      });
    await delay(backoffDelay(failures - 1), signal);
  };
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
}
