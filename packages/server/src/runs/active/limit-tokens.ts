import type { Model, ModelEvent, Usage } from "@capstan/core";
import { addUsage, noUsage } from "@capstan/core/host";
import type { StoredRequest } from "@capstan/store";

/**
 * Returns a model that stops when a run has used up its tokens: the step that reaches the limit is
 * cut off, and each later step is empty. The run then ends as `incomplete`.
 *
 * @param limits the run's limits; without any, the model itself is returned
 * @param used the usage of the run before it was resumed
 */
export function limitTokens(
  model: Model,
  {
    maxPromptTokens: maxPrompt,
    maxCompletionTokens: maxCompletion,
  }: Pick<StoredRequest, "maxPromptTokens" | "maxCompletionTokens">,
  used: Usage = noUsage,
): Model {
  if (maxPrompt === undefined && maxCompletion === undefined) return model;
  let sum = used;
  return {
    ...model,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const left = maxCompletion === undefined ? Infinity : maxCompletion - sum.outputTokens;
      const isOver = left <= 0 || (maxPrompt !== undefined && sum.inputTokens >= maxPrompt);
      if (isOver) {
        yield { type: "finish", reason: "length", usage: noUsage };
        return;
      }
      const most = Math.min(left, request.maxOutputTokens ?? Infinity);
      const limited = Number.isFinite(most) ? { ...request, maxOutputTokens: most } : request;
      for await (const event of model.stream(limited, signal)) {
        if (event.type === "finish") sum = addUsage(sum, event.usage);
        yield event;
      }
    },
  };
}
