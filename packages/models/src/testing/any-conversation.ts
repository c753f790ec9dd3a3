import type {
  AssistantMessage,
  ContentPart,
  JsonObject,
  Message,
  ToolCallRequest,
} from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";
import fc from "fast-check";

const text = fc.oneof(
  fc.constantFrom("", " \n", "Yes.", "<turn-log>\nAdd\n</turn-log>", "🚣 \u0000"),
  fc.string({ maxLength: 12 }),
);
const callIds = fc.constantFrom(
  "a",
  "b",
  "",
  " ",
  "functions.Add:0",
  "é",
  "x".repeat(41),
  "x".repeat(200),
  "call_1",
);
const toolNames = fc.constantFrom("Add", "", "no such tool!", "3d", "n".repeat(90), "日本", "a.b");
const callArguments = fc.constantFrom(
  "{}",
  "",
  "{",
  "null",
  "[1]",
  '"text"',
  '{"a":1}',
  '{"__proto__":{"a":1}}',
  "```json\n{}```",
);
const source = fc.constantFrom<{ type: "url"; url: string } | { type: "base64"; data: string }>(
  { type: "base64", data: "iVBORw0KGgo=" },
  { type: "base64", data: "" },
  { type: "url", url: "https://example.org/a.png" },
  { type: "url", url: "https://example.org/a" },
  { type: "url", url: "data:image/png;base64,AAAA" },
  { type: "url", url: "data:text/plain,hello" },
  { type: "url", url: "file:///etc/passwd" },
  { type: "url", url: "no address" },
);
const mimeTypes = fc.constantFrom(
  "image/png",
  "image/jpg",
  "image/*",
  "image/svg+xml",
  "image/gif",
  "application/pdf",
  "application/zip",
  "audio/wav",
  "audio/ogg",
  "video/mp4",
  "text/plain",
  "",
  "nonsense",
);
const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({ type: fc.constant("link" as const), url: text }),
  fc.record({ type: fc.constant("image" as const), mimeType: mimeTypes, source }),
  fc.record({ type: fc.constant("file" as const), name: text, mimeType: mimeTypes, source }),
) as fc.Arbitrary<ContentPart>;
/** Signatures of reasoning. A request must not contain those of another provider. */
const reasoning = fc.record(
  {
    text,
    providerMetadata: fc.constantFrom<JsonObject>(
      { anthropic: { signature: "sig" } },
      { anthropic: { redactedData: "sealed" } },
      { anthropic: {} },
      { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } },
      { openai: { itemId: "rs_2" } },
      { google: { thoughtSignature: "sig" } },
      {},
    ),
  },
  { requiredKeys: ["text"] },
) as fc.Arbitrary<ReasoningPart>;
const call = fc.record(
  {
    id: callIds,
    type: fc.constant("function" as const),
    function: fc.record({ name: toolNames, arguments: callArguments }),
    providerMetadata: fc.constantFrom<JsonObject>({ google: { thoughtSignature: "sig" } }, {}),
  },
  { requiredKeys: ["id", "type", "function"] },
) as fc.Arbitrary<ToolCallRequest>;
const assistant = fc.record(
  {
    role: fc.constant("assistant" as const),
    content: text,
    reasoning: fc.array(reasoning, { maxLength: 2 }),
    tool_calls: fc.array(call, { maxLength: 3 }),
  },
  { requiredKeys: ["role", "content"] },
) as fc.Arbitrary<AssistantMessage>;
const result = (id: fc.Arbitrary<string>): fc.Arbitrary<Message> =>
  fc.record(
    {
      role: fc.constant("tool" as const),
      tool_call_id: id,
      name: toolNames,
      content: text,
      parts: fc.array(part, { maxLength: 2 }),
    },
    { requiredKeys: ["role", "tool_call_id", "name", "content"] },
  );
/** Generates an answer with all, some or none of its results, or with results of other calls. */
const turn = assistant.chain((message) => {
  const ids = message.tool_calls?.map(({ id }) => id) ?? [];
  const results = ids.map((id) =>
    fc.oneof({ weight: 4, arbitrary: result(fc.constant(id)) }, result(callIds)),
  );
  return fc
    .tuple(...results)
    .chain((came) => fc.subarray(came, { minLength: 0 }))
    .map((came): Message[] => [message, ...came]);
});
const other = fc.oneof(
  fc.record({ role: fc.constantFrom("system" as const, "developer" as const), content: text }),
  fc.record({
    role: fc.constant("user" as const),
    content: fc.oneof(text, fc.array(part, { maxLength: 3 })),
  }),
  result(callIds),
) as fc.Arbitrary<Message>;
/** Generates conversations that a journal, a client or an edited history may contain. */
export const anyConversation = fc
  .array(
    fc.oneof(
      turn,
      other.map((message) => [message]),
    ),
    { maxLength: 6 },
  )
  .map((turns) => turns.flat().map(withOwnReasoning));

/** OpenAI gives each reasoning item a unique id. */
function withOwnReasoning(message: Message, index: number): Message {
  const json = JSON.stringify(message).replaceAll(/"rs_(\d)"/g, `"rs_${index}_$1"`);
  return JSON.parse(json) as Message;
}
