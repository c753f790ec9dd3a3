import { type Clock, ModelError } from "@capstan/core";
import type { CallOptions, PartModel, PartReader, ProviderPart } from "./part-model.ts";
import { untilAborted } from "@capstan/core/host";

export interface ReadPartsOptions {
  readonly options: CallOptions;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The longest time without a part, in milliseconds. */
  readonly silenceMs: number;
}

/**
 * Sends one request to a model and yields the parts of its answer, in groups. Throws the signal's
 * reason soon after it aborts, and a `timeout` error if the provider sends nothing for `silenceMs`.
 * The caller's time between two groups does not count. The request always ends with the iteration.
 */
export async function* readParts(
  model: PartModel,
  settings: ReadPartsOptions,
): AsyncGenerator<readonly ProviderPart[]> {
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

  let reader: PartReader | undefined;
  // Cancel the reader, because that ends a pending read even if the stream ignores the signal.
  const cancel = (): void => reader?.cancel(request.signal.reason);
  request.signal.addEventListener("abort", cancel, { once: true });
  try {
    const opening = model.open(settings.options, request.signal);
    reader = await watched(orAborted(opening, request.signal));
    for (;;) {
      const parts = await watched(reader.read());
      request.signal.throwIfAborted();
      if (parts === undefined) return;
      yield parts;
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

/**
 * Resolves with the answer, or rejects when the signal aborts. An answer that arrives after the
 * abort is discarded.
 */
async function orAborted(opening: Promise<PartReader>, signal: AbortSignal): Promise<PartReader> {
  try {
    return await untilAborted(opening, signal);
  } catch (thrown) {
    void opening.then(
      (reader) => reader.cancel(signal.reason),
      () => undefined,
    );
    throw thrown;
  }
}
