import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolChain, ToolExecutor, VariableSystem } from "@capstan/core";
import { collectEvents, textOf } from "../testing/collect-events.ts";
import { modelOfForm, type ProviderForm } from "../testing/provider-forms.ts";
import { sseFetch } from "../testing/sse-server.ts";
import { messageStart } from "../testing/vendor-streams/anthropic-stream.ts";

const answered = (form: ProviderForm, chunks: readonly object[]) =>
  collectEvents(modelOfForm(form, sseFetch(chunks)));

const chat = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: "c",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});

const anthropic = (blocks: readonly object[], delta: object) => [
  messageStart({ input_tokens: 1, output_tokens: 1 }),
  ...blocks,
  { type: "message_delta", delta: { stop_sequence: null, ...delta }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

const responses = (...events: readonly object[]) => [
  { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
  ...events,
  { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } },
];

// Contract: model-messages-23
test("reports a refusal as such, and the answer as complete", async (t) => {
  const part = { item_id: "msg_0", output_index: 0, content_index: 0 };
  const item = { type: "message", id: "msg_0", role: "assistant", content: [] };
  const added = { type: "response.output_item.added", output_index: 0, item };
  const whole = { type: "response.refusal.done", ...part, refusal: "I cannot." };
  const refusals: readonly [ProviderForm, readonly object[]][] = [
    ["openai-chat", [chat({ refusal: "I " }), chat({ refusal: "cannot." }), chat({}, "stop")]],
    ["openai-compatible", [chat({ refusal: "I cannot." }), chat({}, "stop")]],
    [
      "openai-responses",
      responses(
        added,
        { type: "response.refusal.delta", ...part, delta: "I " },
        { type: "response.refusal.delta", ...part, delta: "cannot." },
        whole,
      ),
    ],
    ["openai-responses", responses(added, whole)],
    [
      "anthropic",
      anthropic([], {
        stop_reason: "refusal",
        stop_details: { type: "refusal", explanation: "I cannot." },
      }),
    ],
  ];
  for (const [form, chunks] of refusals)
    await t.test(form, async () => {
      const { events, error } = await answered(form, chunks);
      assert.equal(error, undefined);
      const said = events.flatMap((event) => (event.type === "refusal-delta" ? [event.text] : []));
      assert.deepEqual([said.join(""), textOf(events)], ["I cannot.", ""]);
      const last = events.at(-1);
      assert.ok(last?.type === "finish" && last.reason === "stop");
    });
});

// Contract: model-messages-23
test("a model that declines without a reason is asked once", async () => {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const chunks = anthropic([], { stop_reason: "refusal" });
  const model = modelOfForm("anthropic", sseFetch(chunks, sent));
  const executor = new ToolExecutor({ variables: new VariableSystem() });
  const contextMessages = [{ role: "user", content: "Hi" }] as const;
  const result = await runToolChain({ executor, model, contextMessages }).result;
  assert.deepEqual([result.status, sent.length], ["completed", 1]);
  assert.equal(result.answer, "The model declined to answer this request.");
});

// Contract: model-messages-24
test("calls of the provider's own tools, which nobody offered, fail by name after one request", async (t) => {
  const call = (type: string, more: object) => {
    const item = { type, id: "i_1", call_id: "c1", status: "completed", ...more };
    return responses(
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
    );
  };
  const server = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
  const hosted: readonly [string, ProviderForm, readonly object[]][] = [
    ["web_search", "openai-responses", call("web_search_call", { action: { type: "search" } })],
    ["computer", "openai-responses", call("computer_call", { action: { type: "wait" } })],
    [
      "local_shell",
      "openai-responses",
      call("local_shell_call", { action: { type: "exec", command: ["ls"] } }),
    ],
    ["shell", "openai-responses", call("shell_call", { action: { commands: ["ls"] } })],
    [
      "web_search",
      "anthropic",
      anthropic(
        [
          { type: "content_block_start", index: 0, content_block: server },
          { type: "content_block_stop", index: 0 },
        ],
        { stop_reason: "tool_use" },
      ),
    ],
  ];
  for (const [name, form, chunks] of hosted)
    await t.test(`${form}, ${name}`, async () => {
      const sent: { url: string; headers: Headers; body: unknown }[] = [];
      const { error, events } = await collectEvents(modelOfForm(form, sseFetch(chunks, sent)));
      assert.equal(error?.code, "server");
      assert.match(error.message, new RegExp(`called its own tool ${name}, which`));
      assert.deepEqual([sent.length, events.length], [1, 0]);
    });
});

// Contract: model-messages-25
test("reads token counts in x_groq", async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const { events } = await answered("openai-compatible", [
    chat({ content: "Hi" }),
    chat({}, "stop", { x_groq: { id: "q", usage } }),
  ]);
  const last = events.at(-1);
  assert.ok(last?.type === "finish");
  assert.deepEqual(last.usage, { inputTokens: 7, outputTokens: 3 });
});

// Contract: model-messages-26
test("does not show Anthropic's summary of compacted messages as the answer", async () => {
  const block = (index: number, content_block: object, delta: object) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const { events } = await answered(
    "anthropic",
    anthropic(
      [
        ...block(
          0,
          { type: "compaction", content: null },
          {
            type: "compaction_delta",
            content: "They spoke of ships.",
          },
        ),
        ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "Yes." }),
      ],
      { stop_reason: "end_turn" },
    ),
  );
  assert.equal(textOf(events), "Yes.");
});
