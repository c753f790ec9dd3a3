import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type Clock, ModelError } from "@capstan/core";

export interface ReadPartsOptions {
  readonly options: Omit<LanguageModelV4CallOptions, "abortSignal">;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds that may pass without a part. */
  readonly silenceMs: number;
}

/**
 * Asks a model once and gives the parts of its answer. Throws the signal's reason soon after it
 * aborts, and a `timeout` after `silenceMs` of waiting for the provider; the time that the
 * reader takes between two parts does not count. The request is ended however this is left.
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
    const disarm = clock.after(silenceMs, () => request.abort(silence(silenceMs)));
    try {
      return await waiting;
    } finally {
      disarm();
    }
  };

  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // Cancelling ends a pending read at once, even of a stream that ignores the signal.
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
    // The first cause counts, not the error that the abort caused in the connection.
    request.signal.throwIfAborted();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
    request.abort();
  }
}

/** Made when it is needed: with its stack it costs more than all else that is done for a part. */
function silence(silenceMs: number): ModelError {
  return new ModelError({ code: "timeout", message: `sent nothing for ${silenceMs / 1000} s` });
}

/** Rejects when the signal aborts. A response that arrives later is discarded. */
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

/** Returns what a promise gives; rejects with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(
  promise: PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
