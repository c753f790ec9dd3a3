import type { AssistantMessage, Message } from "../../model/message.ts";
import type { FinishReason, Model, ModelSettings } from "../../model/model.ts";
import type { Usage } from "../../model/usage.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";
import { ModelAnswer, type ModelAnswerOptions } from "./model-answer.ts";
import { checkEvent, checkedStream } from "../../model/check-stream.ts";

export interface ModelStepOptions extends ModelAnswerOptions {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly signal: AbortSignal;
}

export interface ModelStep {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** Why it stopped early; the message is what had come until then, without calls. */
  readonly failure?: unknown;
}

/** Asks the model once, and passes on what it says as it comes. Never rejects. */
export async function modelStep(options: ModelStepOptions): Promise<ModelStep> {
  const { model, messages, tools, settings, signal, recorder } = options;
  const answer = new ModelAnswer(options);
  let failure: unknown;
  try {
    const stream = checkedStream(model, { ...settings, messages, tools }, signal);
    await readStream(stream, signal, (event) => {
      answer.add(checkEvent(event));
      return answer.isFinished ? "enough" : recorder.drained();
    });
    if (!answer.isFinished) {
      throw new ModelError({
        code: "connection",
        message: "The model's answer ended before it was complete. Try again.",
      });
    }
  } catch (thrown) {
    failure = thrown ?? new Error("The model failed without saying why.");
  }
  const isCut = failure !== undefined;
  const message = answer.end(isCut);
  const { finishReason, usage } = answer;
  return isCut ? { message, finishReason, usage, failure } : { message, finishReason, usage };
}

/**
 * Hands each value of a stream to `take` as it comes, until that says `"enough"`, the stream ends
 * or the signal aborts. Who ignores the signal is left behind. A promise that `take` returns holds
 * the stream back.
 *
 * @throws what the stream throws, or `take`; the signal's reason where it aborts
 */
export function readStream<T>(
  values: AsyncIterator<T>,
  signal: AbortSignal,
  take: (value: T) => "enough" | Promise<unknown> | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;

  const end = (settle: () => void): void => {
    isOver = true;
    signal.removeEventListener("abort", stop);
    settle();
  };
  const leave = (settle: () => void): void => {
    if (isOver) return;
    end(settle);
    closeStream(values);
  };
  const stop = (): void => leave(() => reject(signal.reason as Error));
  const read = async (): Promise<void> => {
    try {
      while (!isOver) {
        const result = await values.next();
        if (isOver) return;
        if (result.done === true) return end(resolve);
        const more = take(result.value);
        if (more === "enough") leave(resolve);
        else if (more !== undefined) await more;
      }
    } catch (thrown) {
      leave(() => reject(thrown));
    }
  };

  if (signal.aborted) stop();
  else {
    signal.addEventListener("abort", stop, { once: true });
    void read();
  }
  return promise;
}

/** What a stream says after its end means nothing, and it may never close. */
function closeStream(values: AsyncIterator<unknown>): void {
  try {
    // Nobody listens any more.
    Promise.resolve(values.return?.()).catch(() => {});
  } catch {
    // Nor to this.
  }
}

/** Returns what a promise gives, or `undefined` as soon as the signal aborts. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
