import type { ModelSettings } from "@capstan/core";
import type { ResponseFormat } from "@capstan/core/host";
import type { RequestToolChoice } from "./create-request.ts";
import { modelToolChoice } from "./parse-tool-choice.ts";
import type { RequestBody } from "./request-schema.ts";
import { withoutNulls } from "./without-nulls.ts";

/** What of a request a model is told; what was not given is left to its provider. */
export function requestSettings(
  given: RequestBody,
  choice: RequestToolChoice,
  format: ResponseFormat,
): ModelSettings {
  return withoutNulls({
    toolChoice: modelToolChoice(choice),
    parallelToolCalls: given.parallel_tool_calls,
    temperature: given.temperature,
    topP: given.top_p,
    presencePenalty: given.presence_penalty,
    frequencyPenalty: given.frequency_penalty,
    maxOutputTokens: given.max_output_tokens,
    reasoningEffort: given.reasoning?.effort,
    responseFormat: format.type === "text" ? undefined : format,
  });
}
