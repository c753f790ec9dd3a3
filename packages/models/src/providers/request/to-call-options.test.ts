import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, ModelRequest, ToolDefinition } from "@capstan/core";
import { toCallOptions } from "./to-call-options.ts";

const openai = {
  id: "openai",
  wire: "openai-responses",
  url: "https://api.openai.com/v1",
} as const;
const anthropic = {
  id: "anthropic",
  wire: "anthropic",
  url: "https://api.anthropic.com/v1",
} as const;
const custom = { id: "custom", wire: "openai-compatible", url: "http://h/v1" } as const;
const tool: ToolDefinition = { type: "function", function: { name: "T", strict: true } };
const plain: ModelRequest = { messages: [{ role: "user", content: "Hi" }], tools: [] };

test("a tool without parameters accepts an empty object", () => {
  const { tools, toolChoice } = toCallOptions(
    { ...plain, tools: [tool], toolChoice: "required" },
    openai,
  );
  assert.deepEqual(tools, [
    { type: "function", name: "T", inputSchema: { type: "object", properties: {} }, strict: true },
  ]);
  assert.deepEqual(toolChoice, { type: "required" });
});

// Contract: model-messages-8
test("adds a missing type or missing properties to a schema, and changes nothing else", () => {
  const schemaOf = (parameters: JsonObject) => {
    const given = { ...tool, function: { name: "T", parameters } };
    const [sent] = toCallOptions({ ...plain, tools: [given] }, openai).tools ?? [];
    return sent?.type === "function" ? sent.inputSchema : undefined;
  };
  const empty = { type: "object", properties: {} };
  assert.deepEqual(schemaOf({}), empty);
  assert.deepEqual(schemaOf({ type: "object", additionalProperties: false }), {
    ...empty,
    additionalProperties: false,
  });
  const full = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepEqual(schemaOf(full), full);
});

test("sends no tool settings without tools", () => {
  const options = toCallOptions(
    { ...plain, toolChoice: "required", parallelToolCalls: false },
    openai,
  );
  assert.ok(!("tools" in options) && !("toolChoice" in options));
  assert.deepEqual(options.providerOptions, { openai: { store: false } });
});

test("defines earlier tools for Anthropic even if no tool may be called", () => {
  const call = { id: "a", type: "function", function: { name: "T", arguments: "{}" } } as const;
  const messages: ModelRequest["messages"] = [
    ...plain.messages,
    { role: "assistant", content: "", tool_calls: [call, { ...call, id: "b" }] },
    { role: "tool", tool_call_id: "a", name: "T", content: "x" },
  ];
  const options = toCallOptions({ messages, tools: [] }, anthropic);
  assert.deepEqual(
    options.tools?.map((entry) => entry.name),
    ["T"],
  );
  assert.deepEqual(options.toolChoice, { type: "none" });
  assert.ok(!("tools" in toCallOptions({ messages, tools: [] }, openai)));
});

test("sets parallel calls in each provider's form, and prefers the caller's setting", () => {
  const request = { ...plain, tools: [tool], parallelToolCalls: false };
  assert.equal(
    toCallOptions(request, openai).providerOptions?.["openai"]?.["parallelToolCalls"],
    false,
  );
  assert.equal(
    toCallOptions(request, anthropic).providerOptions?.["anthropic"]?.["disableParallelToolUse"],
    true,
  );
  assert.equal(
    toCallOptions(request, custom).providerOptions?.["custom"]?.["parallel_tool_calls"],
    false,
  );
  const own = toCallOptions({ ...request, providerOptions: { openai: { store: true } } }, openai);
  assert.deepEqual(own.providerOptions?.["openai"], { store: true, parallelToolCalls: false });
});

test("keeps the schema, name and strictness of a response format", () => {
  const schema = { type: "object" };
  const options = toCallOptions(
    { ...plain, responseFormat: { type: "json_schema", name: "answer", schema, strict: true } },
    openai,
  );
  assert.deepEqual(options.responseFormat, { type: "json", name: "answer", schema });
  assert.equal(options.providerOptions?.["openai"]?.["strictJsonSchema"], true);
  assert.deepEqual(
    toCallOptions({ ...plain, responseFormat: { type: "json_object" } }, openai).responseFormat,
    { type: "json" },
  );
});

test("omits an unknown reasoning effort", () => {
  assert.equal(toCallOptions({ ...plain, reasoningEffort: "high" }, openai).reasoning, "high");
  assert.ok(!("reasoning" in toCallOptions({ ...plain, reasoningEffort: "enormous" }, openai)));
});

test("stop texts and the seed reach the provider", () => {
  const { stopSequences, seed } = toCallOptions({ ...plain, stop: ["END"], seed: 7 }, openai);
  assert.deepEqual([stopSequences, seed], [["END"], 7]);
});

test("verbosity is sent to OpenAI and compatible servers, and to no other provider", () => {
  const verbose: ModelRequest = { ...plain, verbosity: "high" };
  const ownOptions = (provider: typeof openai | typeof anthropic | typeof custom) =>
    toCallOptions(verbose, provider).providerOptions?.[provider.id];
  assert.deepEqual(ownOptions(openai), { store: false, textVerbosity: "high" });
  assert.deepEqual(ownOptions(custom), { textVerbosity: "high" });
  assert.ok(!JSON.stringify(ownOptions(anthropic)).includes("high"));
});
