import type { ModelSettings } from "@capstan/core";
import { z } from "zod";
import {
  badRequest,
  checked,
  isObject,
  missingParameter,
  unsupportedValue,
  wrongType,
} from "../http/errors.ts";
import { ignoredFields } from "../http/fields/ignored-fields.ts";
import { withoutNulls } from "../http/read-body.ts";
import { parseResponseFormat } from "../http/fields/parse-response-format.ts";
import { completionDefaults, completionFields } from "./completion-fields.ts";
import { checkedMetadata, metadataSchema } from "./metadata.ts";
import { parseMessages } from "./parse-messages.ts";
import { parseCompletionTools, type ToolSources } from "./parse-tools.ts";

/** The parsed body of `POST /v1/chat/completions`. */
export type CompletionRequest = ReturnType<typeof parseCompletion>;

/** The maximum number of choices of one request. */
const maxChoices = 8;

/** The fields of the body. Messages, tools and formats have parsers of their own. */
export const completionSchema = z.object({
  model: z.string().nullish(),
  messages: z.unknown(),
  stream: z.boolean().nullish(),
  stream_options: z
    .object({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  n: z.int().min(1).max(maxChoices).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.int().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning_effort: z.string().nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  response_format: z.unknown().optional(),
  modalities: z.array(z.string()).nullish(),
  metadata: metadataSchema,
  store: z.boolean().nullish(),
  safety_identifier: z.string().max(512).nullish(),
  /** The older name of `safety_identifier`. */
  user: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  /** Offers the tool that is bound to `web_search`. */
  web_search_options: z.record(z.string(), z.unknown()).nullish(),
  tools: z.unknown().optional(),
  tool_choice: z.unknown().optional(),
  functions: z.unknown().optional(),
  function_call: z.unknown().optional(),
});

/**
 * Parses the body of `POST /v1/chat/completions`. Fields without an effect here are not an error;
 * `ignored` names them.
 *
 * @param body untrusted JSON
 * @throws RequestError with the path of the invalid field
 */
export function parseCompletion(body: unknown, sources: ToolSources = {}) {
  if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
  if (body["messages"] == null) throw missingParameter("messages");
  const given = checked(completionSchema, body, "");
  if (given.top_logprobs != null && given.logprobs !== true)
    throw badRequest("top_logprobs", "Invalid 'top_logprobs': it also needs 'logprobs': true.");
  if (given.modalities?.some((kind) => kind !== "text") === true)
    throw unsupportedValue("modalities", given.modalities.join(", "), ["text"]);
  const tools = parseCompletionTools(body, sources);
  const stop = typeof given.stop === "string" ? [given.stop] : given.stop;
  const settings: ModelSettings = withoutNulls({
    toolChoice: tools.choice,
    parallelToolCalls: given.parallel_tool_calls,
    temperature: given.temperature,
    topP: given.top_p,
    presencePenalty: given.presence_penalty,
    frequencyPenalty: given.frequency_penalty,
    maxOutputTokens: given.max_completion_tokens ?? given.max_tokens,
    reasoningEffort: given.reasoning_effort,
    verbosity: given.verbosity,
    responseFormat: parseResponseFormat(given.response_format),
    stop: stop?.length === 0 ? undefined : stop,
    seed: given.seed,
    logprobs: given.logprobs === true ? { top: given.top_logprobs ?? 0 } : undefined,
  });
  return {
    model: given.model === "" ? undefined : (given.model ?? undefined),
    ...parseMessages(given.messages),
    tools,
    settings,
    stream: given.stream ?? false,
    includeUsage: given.stream_options?.include_usage ?? false,
    choices: given.n ?? 1,
    store: given.store ?? false,
    metadata: checkedMetadata(given.metadata),
    /** The client's end user. */
    user: given.safety_identifier ?? given.user ?? undefined,
    promptCacheKey: given.prompt_cache_key ?? undefined,
    /** Whether the client uses `functions`, the older form of tools, and reads calls in that form. */
    usesFunctions: body["tools"] == null && body["functions"] != null,
    /** Names of fields that have no effect. */
    ignored: [
      ...ignoredFields(body, completionFields, completionDefaults),
      ...(given.stream_options?.include_obfuscation === true
        ? ["stream_options.include_obfuscation"]
        : []),
      ...(given.web_search_options != null &&
      !tools.hosted.some(({ type }) => type === "web_search")
        ? ["web_search_options"]
        : []),
    ],
  };
}
