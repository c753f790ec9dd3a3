import type { UserEvent } from "@capstan/contract";
import { apiKey } from "./api-key.ts";
import { backoffDelay, type Retry } from "@capstan/client";
import { hasStatus } from "./api-error.ts";
import { client, isGone } from "./client.ts";
import { waitToRetry } from "./wait-to-retry.ts";

/**
 * Follows the user's events until the signal aborts. The tabs of a browser share one connection,
 * because browsers allow few connections to a server: the tab that holds a lock reads the stream,
 * and sends each event to the others. If this tab is closed, another one continues after the last
 * event.
 */
export function followSharedEvents(onEvent: (event: UserEvent) => void, signal: AbortSignal): void {
  void follow(onEvent, signal).catch((error: unknown) => {
    if (!signal.aborted && !isHopeless(error)) throw error;
  });
}

/**
 * Whether the server has no such stream, or rejects the key. The page then gets changes only with
 * its next requests.
 */
function isHopeless(error: unknown): boolean {
  return isGone(error) || hasStatus(error, 401);
}

/** The longest delay if the user has too many streams, in milliseconds. */
const longestDelay = 30_000;

function retryUntilHopeless(signal: AbortSignal): Retry {
  return async (failure, failures) => {
    if (isHopeless(failure)) throw failure;
    const limit = hasStatus(failure, 429) ? longestDelay : undefined;
    await waitToRetry(backoffDelay(failures - 1, limit), signal);
  };
}

async function follow(onEvent: (event: UserEvent) => void, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  const receive = (event: UserEvent) => {
    last = event.cursor;
    onEvent(event);
  };
  const read = async (until: AbortSignal, send: (event: UserEvent) => void) => {
    const options = { signal: until, after: last, retry: retryUntilHopeless(until) };
    for await (const event of client.followEvents(options)) {
      receive(event);
      send(event);
    }
  };
  // Pages that were loaded without TLS cannot use locks.
  if (!("locks" in navigator)) return readWhileVisible((until) => read(until, () => {}), signal);
  const name = await channelName();
  if (signal.aborted) return;
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  channel.addEventListener("message", ({ data }: MessageEvent<UserEvent>) => receive(data));
  await navigator.locks.request(name, { signal }, () =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is not a window
    read(signal, (event) => channel.postMessage(event)),
  );
}

/** A hidden tab closes its connection. When it is shown, it continues after its last event. */
async function readWhileVisible(
  read: (until: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await shown(signal);
    const hidden = new AbortController();
    const onChange = () => {
      if (document.visibilityState === "hidden") hidden.abort();
    };
    document.addEventListener("visibilitychange", onChange);
    try {
      await read(AbortSignal.any([signal, hidden.signal]));
    } catch (error) {
      if (!hidden.signal.aborted) throw error;
    } finally {
      document.removeEventListener("visibilitychange", onChange);
    }
  }
}

function shown(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === "visible" || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      if (document.visibilityState === "hidden" && !signal.aborted) return;
      over.abort();
      resolve();
    };
    document.addEventListener("visibilitychange", end, { signal: over.signal });
    signal.addEventListener("abort", end, { signal: over.signal });
  });
}

/** Tabs with the same key have the same user. The name must not contain the key. */
async function channelName(): Promise<string> {
  const key = apiKey();
  if (key === null) return "capstan.events";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const hex = Array.from(new Uint8Array(digest, 0, 12), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `capstan.events.${hex.join("")}`;
}
