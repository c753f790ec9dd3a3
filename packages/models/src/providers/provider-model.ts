import type { Clock, Model, ModelError, ModelEvent, ModelRequest } from "@capstan/core";
import { systemClock, type TokenPrices, untilAborted } from "@capstan/core/host";
import { customNames } from "./request/custom-tools.ts";
import { dialectOf, readsFile } from "./request/dialect.ts";
import { ownNames } from "./request/prompt-calls.ts";
import type { Provider } from "./request/provider.ts";
import type { PartModel } from "./stream/part-model.ts";
import { readParts } from "./stream/read-parts.ts";
import { retryDelay } from "./retry-delay.ts";
import { nextTurn, withoutLongTexts } from "./request/long-texts.ts";
import { toCallOptions } from "./request/to-call-options.ts";
import { toModelError } from "./stream/to-model-error.ts";
import { createEventTranslator, UnofferedToolError } from "./stream/to-model-events.ts";

export interface ProviderModelOptions {
  readonly provider: Provider;
  readonly modelName: string;
  /** The model's prices, if they are configured. */
  readonly prices?: TokenPrices;
  /** Returns the language model. Loads the provider's package on first use. */
  readonly languageModel: () => Promise<PartModel>;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Returns a number from 0 to below 1, for the jitter of retries. @default Math.random */
  readonly random?: () => number;
  /**
   * A request fails after this many milliseconds without data from the provider. @default 120000
   */
  readonly silenceMs?: number;
}

/**
 * Creates a `Model` from a provider's language model. It makes up to three attempts if an error may
 * be temporary (a rate limit, a lost connection, a failing server). It does not retry after the
 * first event of an answer, because shown events cannot be withdrawn.
 */
export function createProviderModel(options: ProviderModelOptions): Model {
  const { provider, modelName, prices } = options;
  return {
    id: `${provider.id}/${modelName}`,
    ...(prices !== undefined && { prices }),
    readsFile: (mimeType) => readsFile(provider, mimeType),
    givesLogprobs: provider.wire !== "anthropic" && provider.wire !== "google",
    stream: (request, signal) => streamWithRetry(options, request, signal),
  };
}

async function* streamWithRetry(
  options: ProviderModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { provider, clock = systemClock, random = Math.random } = options;
  const model = await options.languageModel();
  const modelName = model.modelId;
  for (let tries = 1; ; tries++) {
    let begun = false;
    let isFinal = false;
    let error: ModelError;
    try {
      for await (const event of streamOnce(model, options, request, signal)) {
        begun = true;
        yield event;
      }
      return;
    } catch (thrown) {
      signal.throwIfAborted();
      // The answer is complete, so the same request would get the same answer.
      isFinal = thrown instanceof UnofferedToolError;
      error = toModelError(thrown, { provider, modelName, begun, now: clock.now() });
    }
    const delayMs = begun || isFinal ? undefined : retryDelay(error, tries, random);
    if (delayMs === undefined) throw error;
    yield { type: "retry", attempt: tries, delayMs, reason: error.message };
    await wait(delayMs, clock, signal);
  }
}

/** Requests with more messages are built in several turns of the event loop. */
const manyMessages = 1_000;

async function* streamOnce(
  model: PartModel,
  options: ProviderModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { provider, modelName, clock = systemClock, silenceMs = 120_000 } = options;
  const dialect = dialectOf(provider);
  const translator = createEventTranslator({
    messages: request.messages,
    toolNames: ownNames(request.tools, dialect),
    customNames: customNames(request.tools, { ...provider, modelName }, dialect),
    topLogprobs: request.logprobs?.top,
  });
  const givenOptions = toCallOptions(request, provider, modelName);
  // Yield, because the next steps also read all messages.
  const isLong = request.messages.length > manyMessages;
  if (isLong) await nextTurn();
  const { options: callOptions, forget } = withoutLongTexts(givenOptions);
  const settings = { options: callOptions, signal, clock, silenceMs };
  try {
    if (isLong) await nextTurn();
    for await (const parts of readParts(model, settings)) {
      // The request has been sent, so its texts are not needed any more.
      forget();
      for (const part of parts) {
        for (const event of translator.translate(part)) yield event;
        if (translator.isFinished) return;
      }
    }
  } finally {
    forget();
  }
  throw new Error("The response ended without a finish reason.");
}

async function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await untilAborted(promise, signal).finally(cancel);
}
