import assert from "node:assert/strict";
import { test } from "node:test";
import { collectEvents, textOf } from "../testing/collect-events.ts";
import { modelOf, modelOfForm } from "../testing/provider-forms.ts";
import { sseFetch } from "../testing/sse-server.ts";

const likely = (token: string, logprob: number) => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
});
const entry = (token: string) => ({
  ...likely(token, -0.5),
  top_logprobs: [likely(token, -0.5), likely("other", -3)],
});
const read = (token: string, top: number) => ({
  ...likely(token, -0.5),
  top: [likely(token, -0.5), likely("other", -3)].slice(0, top),
});

function chatChunks(broken: readonly object[] = []): readonly unknown[] {
  const chunk = (delta: object, content?: readonly object[], finish: string | null = null) => ({
    id: "c",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        delta,
        logprobs: content === undefined ? null : { content, refusal: null },
        finish_reason: finish,
      },
    ],
  });
  return [
    chunk({ role: "assistant", content: "" }, []),
    chunk({ content: "Hel" }, [entry("He"), entry("l")]),
    // Some servers send a token without a text, and broken entries.
    chunk({ content: "" }, [entry("l")]),
    chunk({ content: "lo" }, [entry("o"), ...broken]),
    chunk({}, undefined, "stop"),
    "[DONE]",
  ];
}

function responsesEvents(): readonly unknown[] {
  const at = { output_index: 0, content_index: 0, item_id: "msg_1" };
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const delta = (text: string, logprobs: readonly object[]) => ({
    type: "response.output_text.delta",
    ...at,
    delta: text,
    logprobs,
  });
  return [
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
    { type: "response.output_item.added", output_index: 0, item },
    delta("Hel", [entry("He"), entry("l")]),
    delta("lo", [entry("l"), entry("o")]),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 2 } } },
  ];
}

const forms = {
  "openai-compatible": [chatChunks([{}]), (top: number) => ({ logprobs: true, top_logprobs: top })],
  "openai-chat": [chatChunks(), (top: number) => ({ logprobs: true, top_logprobs: top })],
  // The provider's package rejects 0 alternatives.
  "openai-responses": [responsesEvents(), (top: number) => ({ top_logprobs: Math.max(1, top) })],
} as const;

for (const [form, [chunks, sentFields]] of Object.entries(forms))
  for (const top of [0, 2])
    test(`${form}: tokens have log probabilities on request, with ${top} alternatives`, async () => {
      const sent: { url: string; headers: Headers; body: unknown }[] = [];
      const environment = {
        "openai-compatible": { CAPSTAN_MODEL_URL: "https://models.example.org/v1" },
        "openai-chat": { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://gateway.example.org/v1" },
        "openai-responses": { OPENAI_API_KEY: "k" },
      }[form] as { readonly [name: string]: string };
      // Reasoning models have no log probabilities.
      const model = modelOf(environment, "gpt-4.1", sseFetch(chunks, sent));
      assert.equal(model.givesLogprobs, true);
      const { events, error } = await collectEvents(model, { logprobs: { top } });
      assert.equal(error, undefined);
      assert.equal(textOf(events), "Hello");
      const tokens = events.flatMap((event) =>
        event.type === "text-delta" ? (event.logprobs ?? []) : [],
      );
      assert.deepEqual(
        tokens,
        ["He", "l", "l", "o"].map((token) => read(token, top)),
      );
      const [first] = sent;
      const body = first?.body as { readonly [name: string]: unknown };
      for (const [name, value] of Object.entries(sentFields(top)))
        assert.equal(body[name], value, name);
      if (form === "openai-responses")
        assert.deepEqual(body["include"], ["message.output_text.logprobs"]);
    });

test("a model gets no log probabilities that the request does not ask for", async () => {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const model = modelOfForm("openai-compatible", sseFetch(chatChunks(), sent));
  const { events } = await collectEvents(model);
  assert.ok(!JSON.stringify(events).includes("logprob"));
  assert.ok(!JSON.stringify(sent[0]?.body).includes("logprob"));
});

test("models of other providers say that they give none", () => {
  for (const form of ["anthropic", "google"] as const)
    assert.equal(modelOfForm(form, sseFetch([])).givesLogprobs, false);
});
