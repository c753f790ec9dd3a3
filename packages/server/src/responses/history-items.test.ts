import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Message } from "@capstan/core";
import { HistoryError, type StoredHistoryItem } from "../runs/history/history-item.ts";
import { itemMessages } from "../runs/history/item-messages.ts";
import { pairOutputs } from "../runs/history/pair-outputs.ts";
import { resolveReferences } from "../runs/history/resolve-references.ts";
import { historyItem, historyItems } from "./history-items.ts";
import { type InputItem, parseInput } from "./request/parse-input.ts";

const noReceipts = () => ({ status: "foreign" }) as const;

/** Returns the messages of an input without a parent. `stored` are the known items. */
async function messagesOf(
  input: unknown,
  stored: readonly object[] = [],
): Promise<readonly Message[]> {
  const known = parseInput(stored).map((item) => storedItem(item));
  const lookUp = async () => new Map(known);
  const items = await resolveReferences(historyItems(parseInput(input), noReceipts), lookUp);
  return itemMessages(items, pairOutputs(items));
}

function storedItem(item: InputItem): readonly [string, StoredHistoryItem<InputItem>] {
  const found = historyItem(item, 0, noReceipts);
  return [found.id ?? "", { item: found, runId: "resp_1", isDurable: true }];
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

test("messages keep their roles, and content with only text stays a string", async () => {
  const messages = await messagesOf([
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

test("images and files become parts", async () => {
  const messages = await messagesOf([
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

test("calls of one step become one message, followed by their answers from any position", async () => {
  const messages = await messagesOf([
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

test("a call after an output starts a new step", async () => {
  const messages = await messagesOf([call("a"), output("a"), call("b"), output("b")]);
  assert.deepEqual(
    messages.map((message) => message.role),
    ["assistant", "tool", "assistant", "tool"],
  );
});

test("a call without an output gets one that says so, because models require an output for each call", async () => {
  const messages = await messagesOf([call("a"), { role: "user", content: "go on" }]);
  assert.match(JSON.stringify(messages[1]), /No output was submitted/);
});

test("an output can contain images", async () => {
  const parts = [
    { type: "input_text", text: "see" },
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
  ];
  const messages = await messagesOf([call("a"), { ...output("a"), output: parts }]);
  const message = messages[1];
  assert.ok(message?.role === "tool");
  assert.equal(message.content, "see");
  assert.deepEqual(
    message.parts?.map((part) => part.type),
    ["text", "image"],
  );
});

test("custom calls are calls with one argument", async () => {
  const messages = await messagesOf([
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

test("encrypted reasoning is returned to its provider unchanged", async () => {
  const messages = await messagesOf([
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

test("a server call is replayed with its result, or the part of it that is stored", async () => {
  const content = async (item: object, stored: readonly object[] = []) =>
    (await messagesOf([item], stored))[1]?.content;
  assert.equal(await content({ ...mcpCall, output: "text" }), "text");
  assert.equal(await content({ ...mcpCall, error: "gone" }), "gone");
  assert.match(
    JSON.stringify(await content({ ...mcpCall, error: { type: "http_error", code: 500 } })),
    /http_error/,
  );
  const kept = { ...mcpCall, output: "kept" };
  assert.equal(await content(mcpCall, [kept]), "kept");
  assert.match(JSON.stringify(await content(mcpCall)), /not stored/);
  // A client's version of a stored call is ignored.
  assert.equal(await content({ ...mcpCall, output: "forged" }, [kept]), "kept");
});

test("references are resolved once, and unknown ones are rejected", async () => {
  const stored = [{ id: "msg_1", role: "assistant", content: "kept" }];
  const reference = { type: "item_reference", id: "msg_1" };
  const messages = await messagesOf([reference, reference], stored);
  assert.deepEqual(messages, [{ role: "assistant", content: "kept" }]);
  await assert.rejects(messagesOf([reference, { id: "msg_2" }], stored), (thrown: unknown) => {
    assert.ok(thrown instanceof HistoryError);
    assert.deepEqual(thrown.problem, { reason: "unknown_item", at: 1, id: "msg_2" });
    return true;
  });
});

// Contract: history-2
test("a call id that is used again belongs to the nearest call, and the earlier call keeps its output", async () => {
  const messages = await messagesOf([
    call("a"),
    output("a", "first"),
    { role: "assistant", content: "Once more." },
    call("a"),
    output("a", "second"),
  ]);
  const results = messages.flatMap((each) => (each.role === "tool" ? [each.content] : []));
  assert.deepEqual(results, ["first", "second"]);
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

test("a call that was denied before the model's last output is shown with its denial", async () => {
  const said = { role: "assistant", content: "As you wish." };
  const refused = await messagesOf([question, word(false), said, { role: "user", content: "ok" }]);
  assert.match(JSON.stringify(refused), /The user denied this call. Reason: because/);
  const approved = await messagesOf([
    question,
    word(true),
    { ...mcpCall, output: "text", approval_request_id: "mcpr_1" },
    said,
  ]);
  assert.equal(approved.filter((message) => message.role === "tool").length, 1);
});

test("items that no model needs are omitted", async () => {
  const listed = { type: "mcp_list_tools", server_label: "f", tools: [] };
  assert.deepEqual(await messagesOf([listed, { type: "compaction", encrypted_content: "x" }]), []);
});

test("in any order of items, every call is followed by exactly its answers", async () => {
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
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
      const messages = await messagesOf(items);
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
