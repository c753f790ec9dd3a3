import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "@capstan/core";
import { collectEvents } from "../testing/collect-events.ts";
import { formNames, modelOf, modelOfForm } from "../testing/provider-forms.ts";
import { sseFetch } from "../testing/sse-server.ts";

const grammar = { syntax: "lark", definition: 'start: "a"+' } as const;
const tools: ModelRequest["tools"] = [
  {
    type: "function",
    function: {
      name: "patch",
      description: "Patches.\n\nThe input must follow this lark grammar: …",
      parameters: { type: "object", properties: { input: { type: "string" } } },
    },
    custom: { description: "Patches.", grammar },
  },
];
const text = 'a "quoted"\nline 😀';

/** The answer of a model that calls the custom tool with `text`, in pieces that split the emoji. */
function answer() {
  const item = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "patch" };
  const half = text.indexOf("😀") + 1;
  const delta = (piece: string) => ({
    type: "response.custom_tool_call_input.delta",
    item_id: "ctc_1",
    output_index: 0,
    delta: piece,
  });
  return [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5.5" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, input: "", status: "in_progress" },
    },
    delta(text.slice(0, half)),
    delta(text.slice(half)),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, input: text, status: "completed" },
    },
    {
      type: "response.completed",
      response: { usage: { input_tokens: 1, output_tokens: 1 } },
    },
  ];
}

interface Sent {
  readonly tools: readonly { readonly type: string }[];
  readonly input: readonly { readonly type?: string; readonly input?: string }[];
}

async function callsOf(modelName: string, request: Partial<ModelRequest> = {}) {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const model = modelOf({ OPENAI_API_KEY: "key" }, modelName, sseFetch(answer(), sent));
  const { events, error } = await collectEvents(model, { tools, ...request });
  assert.equal(error, undefined);
  return { events, body: sent[0]?.body as Sent };
}

// Contract: model-messages-27
test("OpenAI gets custom tools with their grammars, and its texts become arguments", async () => {
  const { events, body } = await callsOf("gpt-5.5", {
    toolChoice: { type: "function", name: "patch" },
  });
  assert.deepEqual(body.tools, [
    {
      type: "custom",
      name: "patch",
      description: "Patches.",
      format: { type: "grammar", ...grammar },
    },
  ]);
  const whole = JSON.stringify({ input: text });
  const end = events.find((event) => event.type === "tool-call-end");
  assert.equal(end?.arguments, whole);
  const deltas = events.flatMap((event) => (event.type === "tool-call-delta" ? event.delta : []));
  assert.equal(deltas.join(""), whole);
});

// Contract: model-messages-27
test("earlier calls of custom tools are sent to OpenAI as texts", async () => {
  const call = {
    id: "call_0",
    type: "function",
    function: { name: "patch", arguments: JSON.stringify({ input: "aaa" }) },
  } as const;
  const { body } = await callsOf("gpt-6-sol", {
    messages: [
      { role: "user", content: "Patch it." },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_0", name: "patch", content: "done" },
    ],
  });
  assert.deepEqual(
    body.input.slice(1).map(({ type, input }) => [type, input]),
    [
      ["custom_tool_call", "aaa"],
      ["custom_tool_call_output", undefined],
    ],
  );
});

// Contract: model-messages-27
test("other models get a function with the grammar in its description", async () => {
  const others = formNames.filter((form) => form !== "openai-responses");
  for (const form of others) {
    const sent: { url: string; headers: Headers; body: unknown }[] = [];
    await collectEvents(modelOfForm(form, sseFetch([], sent)), { tools });
    const body = JSON.stringify(sent[0]?.body);
    assert.match(body, /must follow this lark grammar/, form);
    assert.doesNotMatch(body, /"custom"/, form);
  }
  const { body } = await callsOf("gpt-4.1");
  assert.deepEqual(
    body.tools.map(({ type }) => type),
    ["function"],
  );
});
