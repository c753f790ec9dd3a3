import type { AssistantMessage, Message } from "../../model/message.ts";
import type { FinishReason, Model, ModelSettings } from "../../model/model.ts";
import type { Usage } from "../../model/usage.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";
import { ModelAnswer, type ModelAnswerOptions } from "./model-answer.ts";
import { readStream } from "./read-stream.ts";
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
