import type { RunEvent } from "@capstan/contract";
import type { Client } from "./client.ts";
import { follow, type FollowStatus, type Retry } from "./follow/follow.ts";

/** The run to follow, the first event to read, and the retries after a broken connection. */
export interface FollowRunOptions {
  readonly client: Pick<Client, "events">;
  readonly run: string;
  /** The sequence number of the last known event. @default 0, none */
  readonly after?: number;
  readonly signal: AbortSignal;
  /** @default waits up to 1.5 s, and gives up after six failures in a row or if the server rejects the request */
  readonly retry?: Retry;
  readonly onStatus?: (status: FollowStatus) => void;
}

/**
 * Yields each event of a run once, until the last one, and reconnects when the connection breaks.
 *
 * @throws ApiError if the server rejects the request, or `connection_lost` if it cannot be reached
 * again; the signal's reason if it aborts
 * @example
 * const signal = AbortSignal.timeout(60_000);
 * for await (const event of followRun({ client, run, signal })) console.log(event.seq, event.type);
 */
export function followRun(options: FollowRunOptions): AsyncGenerator<RunEvent> {
  const { client, run, after = 0, signal } = options;
  let last = after;
  return follow<RunEvent>({
    ...options,
    open: (opened) => client.events(run, last, signal, opened),
    isNew: ({ seq }) => {
      if (seq <= last) return false;
      last = seq;
      return true;
    },
    isLast: ({ type }) => type === "chain.ended",
  });
}
