import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type InputContext, inputMessages, type InputMessages } from "./input-messages.ts";
import { type InputItem, parseInput } from "./request/parse-input.ts";

function messagesOf(input: unknown, context: Partial<InputContext> = {}): InputMessages {
  return inputMessages(parseInput(input), {
    resolve: () => undefined,
    knownCalls: new Map(),
    ...context,
  });
}

const call = (id: string) => ({
  type: "function_call",
  call_id: id,
  name: "Weather",
  arguments: "{}",
});
const output = (id: string, text = `of ${id}`) => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});
const toolCall = (id: string) => ({
  id,
  type: "function",
  function: { name: "Weather", arguments: "{}" },
});
const toolMessage = (id: string) => ({
  role: "tool",
  tool_call_id: id,
  name: "Weather",
  content: `of ${id}`,
});

test("messages keep their roles, and content with only text stays a string", () => {
  const { messages } = messagesOf([
    { role: "system", content: "Be brief." },
    {
      role: "developer",
      content: [
        { type: "input_text", text: "a" },
        { type: "input_text", text: "b" },
      ],
    },
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
  ]);
  assert.deepEqual(messages, [
    { role: "system", content: "Be brief." },
    { role: "developer", content: "a\nb" },
    { role: "user", content: "hi" },
    { role: "assistant", content: "No." },
  ]);
});

test("images and files become parts", () => {
  const { messages } = messagesOf([
    {
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
        { type: "input_image", image_url: "https://example.org/a.png", detail: "low" },
        { type: "input_file", filename: "a.pdf", file_data: "BBBB" },
        { type: "input_file", file_url: "https://example.org/b.csv" },
        { type: "input_file", filename: "c", file_data: "data:text/plain,a%20b" },
      ],
    },
  ]);
  assert.deepEqual(messages[0]?.content, [
    { type: "text", text: "look" },
    {
      type: "image",
      detail: "auto",
      mimeType: "image/png",
      source: { type: "base64", data: "AAAA" },
    },
    {
      type: "image",
      detail: "low",
      mimeType: "image/*",
      source: { type: "url", url: "https://example.org/a.png" },
    },
    {
      type: "file",
      name: "a.pdf",
      mimeType: "application/pdf",
      source: { type: "base64", data: "BBBB" },
    },
    {
      type: "file",
      name: "b.csv",
      mimeType: "text/csv",
      source: { type: "url", url: "https://example.org/b.csv" },
    },
    {
      type: "file",
      name: "c",
      mimeType: "text/plain",
      source: { type: "base64", data: Buffer.from("a b").toString("base64") },
    },
  ]);
});

test("calls of one step become one message, followed by their answers from any position", () => {
  const { messages } = messagesOf([
    { role: "user", content: "weather?" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    { role: "assistant", content: "Let me look." },
    call("a"),
    call("b"),
    output("b"),
    { role: "user", content: "thanks" },
    output("a"),
  ]);
  assert.deepEqual(messages, [
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: "Let me look.",
      reasoning: [{ text: "hm" }],
      tool_calls: [toolCall("a"), toolCall("b")],
    },
    toolMessage("a"),
    toolMessage("b"),
    { role: "user", content: "thanks" },
  ]);
});

test("a call after an output starts a new step", () => {
  const { messages } = messagesOf([call("a"), output("a"), call("b"), output("b")]);
  assert.deepEqual(
    messages.map((message) => message.role),
    ["assistant", "tool", "assistant", "tool"],
  );
});

test("a call without an output gets one that says so, because models require an output for each call", () => {
  const { messages } = messagesOf([call("a"), { role: "user", content: "go on" }]);
  assert.match(JSON.stringify(messages[1]), /No output was submitted/);
});

test("outputs of an earlier response's calls are returned separately, and unknown ones are rejected", () => {
  const knownCalls = new Map([["x", "Weather"]]);
  const { messages, answers } = messagesOf([output("x"), { role: "user", content: "and?" }], {
    knownCalls,
  });
  assert.deepEqual(answers, [toolMessage("x")]);
  assert.equal(messages.length, 1);
  assert.throws(() => messagesOf([output("y")], { knownCalls }), {
    message: "No tool call found for function call output with call_id y.",
    param: "input",
  });
});

test("an output can contain images", () => {
  const parts = [
    { type: "input_text", text: "see" },
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
  ];
  const { messages } = messagesOf([call("a"), { ...output("a"), output: parts }]);
  const message = messages[1];
  assert.ok(message?.role === "tool");
  assert.equal(message.content, "see");
  assert.deepEqual(
    message.parts?.map((part) => part.type),
    ["text", "image"],
  );
});

test("custom calls are calls with one argument", () => {
  const { messages } = messagesOf([
    { type: "custom_tool_call", call_id: "p", name: "Patch", input: "***" },
    { type: "custom_tool_call_output", call_id: "p", output: "done" },
  ]);
  assert.deepEqual(messages, [
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "p", type: "function", function: { name: "Patch", arguments: '{"input":"***"}' } },
      ],
    },
    { role: "tool", tool_call_id: "p", name: "Patch", content: "done" },
  ]);
});

test("encrypted reasoning is returned to its provider unchanged", () => {
  const { messages } = messagesOf([
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
    { role: "assistant", content: "Yes." },
  ]);
  assert.deepEqual(messages, [
    {
      role: "assistant",
      content: "Yes.",
      reasoning: [
        {
          text: "",
          providerMetadata: { openai: { reasoningEncryptedContent: "sealed", itemId: "rs_1" } },
        },
      ],
    },
  ]);
});

const mcpCall = {
  type: "mcp_call",
  id: "mcp_1",
  server_label: "f",
  name: "ViewFile",
  arguments: "{}",
};

test("a server call is replayed with its result, or the part of it that is stored", () => {
  const content = (item: object, resolve: InputContext["resolve"] = () => undefined) =>
    messagesOf([item], { resolve }).messages[1]?.content;
  assert.equal(content({ ...mcpCall, output: "text" }), "text");
  assert.equal(content({ ...mcpCall, error: "gone" }), "gone");
  assert.match(
    JSON.stringify(content({ ...mcpCall, error: { type: "http_error", code: 500 } })),
    /http_error/,
  );
  const kept = { ...mcpCall, status: "completed", output: "kept" } as InputItem;
  assert.equal(
    content(mcpCall, () => kept),
    "kept",
  );
  assert.match(JSON.stringify(content(mcpCall)), /not kept/);
  // A client's version of a stored call is ignored.
  assert.equal(
    content({ ...mcpCall, output: "forged" }, () => kept),
    "kept",
  );
});

test("references are resolved once, and unknown ones are rejected", () => {
  const kept = parseInput([{ id: "msg_1", role: "assistant", content: "kept" }]);
  const resolve = (id: string) => (id === "msg_1" ? kept[0] : undefined);
  const reference = { type: "item_reference", id: "msg_1" };
  const { messages, items } = messagesOf([reference, reference], { resolve });
  assert.deepEqual(messages, [{ role: "assistant", content: "kept" }]);
  assert.deepEqual(items, kept);
  const unknown = { status: 404, param: "input" };
  assert.throws(() => messagesOf([{ id: "msg_2" }], { resolve }), unknown);
});

const question = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "f",
  name: "ViewFile",
  arguments: "{}",
  variables: [{ name: "Fetch_1", text: "x", length: 1 }],
};
const word = (approve: boolean) => ({
  type: "mcp_approval_response",
  approval_request_id: "mcpr_1",
  approve,
  reason: "because",
});

test("answers to approval requests are returned separately, with their request if the input contains it", () => {
  const alone = messagesOf([word(true)]);
  assert.deepEqual(alone.approvals, [
    {
      approvalRequestId: "mcpr_1",
      approve: true,
      reason: "because",
      param: "input[0].approval_request_id",
    },
  ]);
  const stateless = messagesOf([{ role: "user", content: "go" }, question, word(false)]);
  assert.equal(stateless.approvals[0]?.request?.name, "ViewFile");
  assert.equal(stateless.messages.length, 1);
});

test("answers before the model's last output are history", () => {
  const said = { role: "assistant", content: "As you wish." };
  const refused = messagesOf([question, word(false), said, { role: "user", content: "ok" }]);
  assert.deepEqual(refused.approvals, []);
  assert.match(JSON.stringify(refused.messages), /The user refused this call. Reason: because/);
  const approved = messagesOf([
    question,
    word(true),
    { ...mcpCall, output: "text", approval_request_id: "mcpr_1" },
    said,
  ]);
  assert.deepEqual(approved.approvals, []);
  assert.equal(approved.messages.filter((message) => message.role === "tool").length, 1);
});

test("items that no model needs are omitted", () => {
  const listed = { type: "mcp_list_tools", server_label: "f", tools: [] };
  assert.deepEqual(
    messagesOf([listed, { type: "compaction", encrypted_content: "x" }]).messages,
    [],
  );
});

test("in any order of items, every call is followed by exactly its answers", () => {
  const id = fc.constantFrom("a", "b", "c", "d");
  const item = fc.oneof(
    id.map(call),
    id.map((each) => output(each)),
    fc.constantFrom<object>(
      { role: "user", content: "u" },
      { role: "assistant", content: "v" },
      { type: "reasoning", summary: [] },
      { ...mcpCall, output: "m" },
    ),
  );
  const knownCalls = new Map(["a", "b", "c", "d"].map((each) => [each, "Weather"]));
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), (items) => {
      const { messages } = messagesOf(items, { knownCalls });
      let due: string[] = [];
      for (const message of messages) {
        if (message.role === "tool") {
          assert.equal(message.tool_call_id, due.shift());
          continue;
        }
        assert.deepEqual(due, []);
        if (message.role === "assistant") due = (message.tool_calls ?? []).map((each) => each.id);
      }
      assert.deepEqual(due, []);
    }),
  );
});
