import type { FieldTreatments } from "../../http/fields/ignored-fields.ts";

/** The fields of the body of `POST /v1/responses`, as the reference lists them. */
export const responseFields = {
  access_programs: "ignored",
  approvals: "effect",
  background: "effect",
  context_management: "rejected",
  conversation: "effect",
  frequency_penalty: "passed",
  history: "effect",
  image: "ignored",
  include: "effect",
  input: "effect",
  instructions: "effect",
  max_output_tokens: "passed",
  max_tool_calls: "effect",
  metadata: "effect",
  model: "effect",
  moderation: "ignored",
  parallel_tool_calls: "passed",
  presence_penalty: "passed",
  previous_response_id: "effect",
  prompt: "rejected",
  prompt_cache_key: "effect",
  prompt_cache_options: "ignored",
  prompt_cache_retention: "ignored",
  reasoning: "passed",
  safety_identifier: "effect",
  service_tier: "ignored",
  store: "effect",
  stream: "effect",
  stream_options: "ignored",
  temperature: "passed",
  text: "effect",
  tool_choice: "effect",
  tool_outputs: "effect",
  tools: "effect",
  top_logprobs: "passed",
  top_p: "passed",
  truncation: "ignored",
  user: "effect",
} as const satisfies FieldTreatments;

/** Values of ignored fields that state the server's default behaviour. */
export const responseDefaults = {
  service_tier: ["auto", "default"],
  truncation: ["disabled"],
} as const;
