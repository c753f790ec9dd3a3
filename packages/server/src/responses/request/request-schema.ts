import { z } from "zod";

const optionalText = z.string().nullish();
/** Some clients send "" for what they do not set. */
const optionalId = optionalText.transform((given) => (given === "" ? null : given));
const shortKey = z.string().max(64).nullish();

/**
 * The plain members of a request and their limits. Input, tools, tool choice and format have
 * parsers of their own; members that are not listed are ignored.
 */
export const requestSchema = z.object({
  model: optionalId,
  input: z.unknown().optional(),
  instructions: optionalId,
  previous_response_id: optionalId,
  conversation: z.unknown().optional(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  text: z.object({ format: z.unknown().optional(), verbosity: optionalText }).nullish(),
  reasoning: z.object({ effort: optionalText, summary: optionalText }).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  service_tier: optionalText,
  safety_identifier: shortKey,
  prompt_cache_key: shortKey,
  metadata: z.record(z.string(), z.string().max(512)).nullish(),
  include: z.array(z.string()).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: z.boolean().nullish() }).nullish(),
  approvals: z.enum(["inline", "deferred"]).nullish(),
  tool_outputs: z.enum(["inline", "deferred"]).nullish(),
  history: z
    .union([z.enum(["log", "full"]), z.object({ keep_turns: z.int().min(0) })], {
      error: 'expected "log", "full" or {"keep_turns": 3}.',
    })
    .nullish(),
});

export type RequestBody = z.infer<typeof requestSchema>;
