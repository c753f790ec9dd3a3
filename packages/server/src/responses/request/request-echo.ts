import type { JsonObject } from "@capstan/core";
import type { ResponseEcho } from "../projection/wire.ts";
import type { RequestBody } from "./request-schema.ts";
import { withoutNulls } from "./without-nulls.ts";

/** What a response repeats of its request, every default filled in: clients do not take null for most. */
export function requestEcho(
  given: RequestBody,
  parts: {
    readonly tools: readonly JsonObject[];
    readonly toolChoice: string | JsonObject;
    readonly format: JsonObject;
  },
): ResponseEcho {
  const { reasoning, text } = given;
  const wireText: JsonObject = {
    format: parts.format,
    ...withoutNulls({ verbosity: text?.verbosity }),
  };
  return {
    background: given.background ?? false,
    frequency_penalty: given.frequency_penalty ?? 0,
    instructions: given.instructions ?? null,
    max_output_tokens: given.max_output_tokens ?? null,
    max_tool_calls: given.max_tool_calls ?? null,
    metadata: given.metadata ?? {},
    parallel_tool_calls: given.parallel_tool_calls ?? true,
    presence_penalty: given.presence_penalty ?? 0,
    prompt_cache_key: given.prompt_cache_key ?? null,
    reasoning:
      reasoning == null
        ? null
        : { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: given.safety_identifier ?? null,
    service_tier: given.service_tier ?? "default",
    store: given.store ?? true,
    temperature: given.temperature ?? 1,
    text: wireText,
    tool_choice: parts.toolChoice,
    tools: parts.tools,
    top_logprobs: given.top_logprobs ?? 0,
    top_p: given.top_p ?? 1,
    truncation: given.truncation ?? "disabled",
  };
}
