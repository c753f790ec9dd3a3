import { ApiError } from "./api-error.ts";
import { backoffDelay } from "./backoff.ts";
import { createEventStreamParser } from "./parse-event-stream.ts";
import { waitToRetry } from "./wait-to-retry.ts";
import { send } from "./request.ts";

/** Without a word for so long the connection counts as lost. */
const silenceLimit = 60_000;

/**
 * Tells of every change of the files of tools until it is stopped, however often the connection
 * breaks: each one begins by saying that something may have changed. Ends, too, where who asks may
 * not see them.
 */
export async function followScripts(options: {
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { onChange, signal } = options;
  for (let attempt = 0; !signal.aborted;) {
    try {
      await readOnce(signal, () => {
        attempt = 0;
        onChange();
      });
    } catch (error) {
      if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return;
    }
    await waitToRetry(backoffDelay(attempt++), signal);
  }
}

async function readOnce(outer: AbortSignal, onChange: () => void): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceLimit);
  const signal = AbortSignal.any([outer, silence.signal]);
  try {
    const headers = { accept: "text/event-stream" };
    const response = await send("/v1/scripts/events", { signal, headers });
    const parser = createEventStreamParser();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimit);
      for (const _change of parser.push(next.value)) onChange();
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
