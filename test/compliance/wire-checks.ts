import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

// The wire forms of Open Responses that the compliance cases check. Further members are allowed.

type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const list = { type: "array" };
const nullable = (type: string) => ({ type: [type, "null"] });
const object = (properties: Schema, optional: Schema = {}): Schema => ({
  type: "object",
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
});
const typed = (type: string, properties: Schema, optional?: Schema): Schema =>
  object({ type: { const: type }, ...properties }, optional);

const status = { enum: ["in_progress", "completed", "incomplete"] };
const outputText = typed("output_text", { text, annotations: list }, { logprobs: list });
const inputText = typed("input_text", { text });
const contentPart = {
  anyOf: [
    outputText,
    inputText,
    typed("refusal", { refusal: text }),
    typed("reasoning_text", { text }),
    typed("summary_text", { text }),
    typed("input_image", { image_url: text }),
  ],
};
const item = {
  anyOf: [
    typed(
      "message",
      {
        id: text,
        role: { enum: ["user", "assistant", "system", "developer"] },
        status,
        content: { type: "array", items: contentPart },
      },
      { phase: { enum: ["commentary", "final_answer"] } },
    ),
    typed("function_call", { id: text, call_id: text, name: text, arguments: text, status }),
    typed("reasoning", { id: text, summary: list }),
    typed("compaction", { id: text, encrypted_content: text }),
  ],
};
const usage = object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: object({ cached_tokens: count }),
  output_tokens_details: object({ reasoning_tokens: count }),
});
const functionTool = typed("function", {
  name: text,
  description: nullable("string"),
  parameters: nullable("object"),
  strict: nullable("boolean"),
});
const response = object(
  {
    id: { type: "string", pattern: "^resp_" },
    object: { const: "response" },
    created_at: { type: "integer" },
    completed_at: nullable("integer"),
    status: { enum: ["queued", "in_progress", "completed", "failed", "incomplete", "cancelled"] },
    incomplete_details: nullable("object"),
    error: nullable("object"),
    model: text,
    previous_response_id: nullable("string"),
    instructions: nullable("string"),
    output: { type: "array", items: item },
    tools: { type: "array", items: functionTool },
    tool_choice: { anyOf: [{ enum: ["auto", "none", "required"] }, { type: "object" }] },
    truncation: { enum: ["auto", "disabled"] },
    parallel_tool_calls: { type: "boolean" },
    text: object({ format: object({ type: text }) }, { verbosity: text }),
    top_p: { type: "number" },
    temperature: { type: "number" },
    presence_penalty: { type: "number" },
    frequency_penalty: { type: "number" },
    top_logprobs: count,
    reasoning: nullable("object"),
    usage: { anyOf: [usage, { type: "null" }] },
    max_output_tokens: nullable("integer"),
    max_tool_calls: nullable("integer"),
    store: { type: "boolean" },
    background: { type: "boolean" },
    service_tier: text,
    safety_identifier: nullable("string"),
    prompt_cache_key: nullable("string"),
  },
  { metadata: { type: "object", additionalProperties: text } },
);
const compaction = object({
  id: text,
  object: { const: "response.compaction" },
  created_at: { type: "integer" },
  output: { type: "array", items: item },
  usage,
});
const error = object({
  type: { const: "error" },
  error: object({ code: text, message: text }),
});

const numbered = { sequence_number: count };
const inOutput = { ...numbered, output_index: count };
const ofItem = { ...inOutput, item_id: text };
const ofPart = { ...ofItem, content_index: count };
const delta = { ...ofPart, delta: text };
const events: { readonly [type: string]: Schema } = {
  ...Object.fromEntries(
    ["created", "queued", "in_progress", "completed", "failed", "incomplete"].map((name) => [
      `response.${name}`,
      object({ ...numbered, response }),
    ]),
  ),
  "response.output_item.added": object({ ...inOutput, item }),
  "response.output_item.done": object({ ...inOutput, item }),
  "response.content_part.added": object({ ...ofPart, part: contentPart }),
  "response.content_part.done": object({ ...ofPart, part: contentPart }),
  "response.output_text.delta": object(delta),
  "response.output_text.done": object({ ...ofPart, text }),
  "response.output_text.annotation.added": object(ofPart),
  "response.refusal.delta": object(delta),
  "response.refusal.done": object({ ...ofPart, refusal: text }),
  "response.function_call_arguments.delta": object({ ...ofItem, delta: text }),
  "response.function_call_arguments.done": object({ ...ofItem, arguments: text }),
  error,
};

const ajv = new Ajv2020({ strict: false });
const checks = new Map<Schema, ValidateFunction>();

function check(schema: Schema, value: unknown, what: string): void {
  const validate = checks.get(schema) ?? ajv.compile(schema);
  checks.set(schema, validate);
  assert.ok(
    validate(value),
    `${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`,
  );
}

/** A message, a call or another item of an output. */
export interface WireItem {
  readonly type: string;
  readonly phase?: string;
}

/** A response, as far as the cases look at it. */
export interface WireResponse {
  readonly id: string;
  readonly status: string;
  readonly output: readonly WireItem[];
}

/** An event of a stream, or an error in its place. */
export interface WireEvent {
  readonly type: string;
  readonly response?: WireResponse;
  readonly error?: { readonly code: string };
}

/** Returns a value that has the form of a response and is completed with an output. */
export function checkedResponse(value: unknown): WireResponse {
  check(response, value, "The response has another form");
  const checked = value as WireResponse;
  assert.equal(checked.status, "completed");
  assert.ok(checked.output.length > 0, "The response has no output.");
  return checked;
}

/** Returns a value that has the form of a compaction with an output. */
export function checkedCompaction(value: unknown): { readonly output: readonly WireItem[] } {
  check(compaction, value, "The compaction has another form");
  const checked = value as { readonly output: readonly WireItem[] };
  assert.ok(checked.output.length > 0, "The compaction has no output.");
  return checked;
}

/** Checks each event of a turn, and that it has one end, which is last. */
export function checkEvents(turn: readonly WireEvent[]): void {
  for (const event of turn) {
    const schema = Object.hasOwn(events, event.type) ? events[event.type] : undefined;
    assert.ok(schema, `Open Responses has no event "${event.type}".`);
    check(schema, event, `The event ${event.type} has another form`);
  }
  const ends = turn.map(isEnd);
  assert.equal(ends.filter(Boolean).length, 1, "The turn has not one end.");
  assert.ok(ends.at(-1), "Events follow the end.");
}

/** Whether an event is the last of its turn. */
export function isEnd({ type }: WireEvent): boolean {
  return type === "error" || /^response\.(completed|failed|incomplete)$/.test(type);
}
