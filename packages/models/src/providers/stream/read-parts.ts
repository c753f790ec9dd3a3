import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type Clock, ModelError } from "@capstan/core";
import { untilAborted } from "./until-aborted.ts";

export interface ReadPartsOptions {
  readonly options: Omit<LanguageModelV4CallOptions, "abortSignal">;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The longest time without a part, in milliseconds. */
  readonly silenceMs: number;
}

/**
 * Sends one request to a model and yields the parts of its answer. Throws the signal's reason soon
 * after it aborts, and a `timeout` error if the provider sends nothing for `silenceMs`. The
 * caller's time between two parts does not count. The request always ends with the iteration.
 */
export async function* readParts(
  model: LanguageModelV4,
  settings: ReadPartsOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { signal, clock, silenceMs } = settings;
  signal.throwIfAborted();
  const request = new AbortController();
  const stop = (): void => request.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const watched = async <T>(waiting: PromiseLike<T>): Promise<T> => {
    const disarm = clock.after(silenceMs, () => request.abort(silenceError(silenceMs)));
    try {
      return await waiting;
    } finally {
      disarm();
    }
  };

  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // Cancel the reader, because that ends a pending read even if the stream ignores the signal.
  const cancel = (): void => void reader?.cancel(request.signal.reason).catch(() => undefined);
  request.signal.addEventListener("abort", cancel, { once: true });
  try {
    const opening = model.doStream({ ...settings.options, abortSignal: request.signal });
    const { stream } = await watched(orAborted(opening, request.signal));
    reader = stream.getReader();
    for (;;) {
      const { done, value } = await watched(reader.read());
      request.signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } catch (thrown) {
    // Throw the reason of the abort, not the connection error that the abort caused.
    request.signal.throwIfAborted();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
    request.abort();
  }
}

/**
 * Creates the error only for a timeout, because its stack trace costs more than all other work for
 * a part.
 */
function silenceError(silenceMs: number): ModelError {
  return new ModelError({ code: "timeout", message: `sent nothing for ${silenceMs / 1000} s` });
}

/** Resolves with the response, or rejects when the signal aborts. A later response is discarded. */
async function orAborted(opening: ReturnType<LanguageModelV4["doStream"]>, signal: AbortSignal) {
  try {
    return await untilAborted(opening, signal);
  } catch (thrown) {
    void Promise.resolve(opening).then(
      ({ stream }) => stream.cancel().catch(() => undefined),
      () => undefined,
    );
    throw thrown;
  }
}
