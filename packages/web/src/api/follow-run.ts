import type { RunEvent } from "@capstan/contract";
import { ApiError, isAbort } from "./api-error.ts";
import { backoffDelay } from "./backoff.ts";
import { createEventStreamParser } from "./parse-event-stream.ts";
import { waitToRetry } from "./wait-to-retry.ts";
import { send } from "./request.ts";

export type StreamStatus = "open" | "reconnecting" | "gone";

export interface FollowOptions {
  readonly run: string;
  /** The number of the last event that is known. */
  readonly after: number;
  readonly onEvent: (event: RunEvent) => void;
  readonly onStatus: (status: StreamStatus) => void;
  readonly signal: AbortSignal;
}

/** Without a word for so long the connection counts as lost, e.g. after a laptop slept. */
const silenceLimit = 60_000;

/**
 * Follows a run's events to its last one, however often the connection breaks: each attempt goes
 * on after the last event that came. Resolves after `chain.ended`, when the run is gone, or on abort.
 */
export async function followRun(options: FollowOptions): Promise<void> {
  let after = options.after;
  let attempt = 0;
  while (!options.signal.aborted) {
    const attemptStart = after;
    try {
      const ended = await readOnce({ ...options, after }, (event) => {
        after = event.seq;
        attempt = 0;
        options.onEvent(event);
      });
      if (ended) return;
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof ApiError && (error.status === 404 || error.status === 403)) {
        return options.onStatus("gone");
      }
      if (!isAbort(error)) options.onStatus("reconnecting");
    }
    // A stream that closed in good order after bringing something is opened again at once.
    if (after === attemptStart) await waitToRetry(backoffDelay(attempt++), options.signal);
  }
}

/** Whether the last event came. */
async function readOnce(
  options: FollowOptions,
  onEvent: (event: RunEvent) => void,
): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceLimit);
  const signal = AbortSignal.any([options.signal, silence.signal]);
  try {
    const path = `/v1/runs/${encodeURIComponent(options.run)}/events?starting_after=${options.after}`;
    const response = await send(path, { signal, headers: { accept: "text/event-stream" } });
    options.onStatus("open");
    const parser = createEventStreamParser();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader === undefined) return false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimit);
      for (const message of parser.push(value)) {
        const event = JSON.parse(message.data) as RunEvent;
        onEvent(event);
        if (event.type === "chain.ended") return true;
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
