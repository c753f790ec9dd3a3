import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderPart } from "../stream/part-model.ts";
import { createChunkReader } from "./chunk-reader.ts";

/** Returns the parts of an answer with these chunks. */
function partsOf(...chunks: readonly (object | string)[]): readonly ProviderPart[] {
  const reader = createChunkReader("custom");
  const parts = chunks.map((chunk) =>
    reader.read(typeof chunk === "string" ? chunk : JSON.stringify(chunk)),
  );
  return [...parts.flat(), ...reader.finish()];
}

const delta = (fields: object) => ({ choices: [{ delta: fields }] });
const stop = { choices: [{ delta: {}, finish_reason: "stop" }] };

function textsOf(parts: readonly ProviderPart[], type: "text-delta" | "reasoning-delta"): string {
  return parts.map((part) => (part.type === type && "delta" in part ? part.delta : "")).join("");
}

test("reads reasoning under each of its names, once", () => {
  const forms: readonly object[] = [
    { reasoning_content: "Hm" },
    { reasoning: "Hm" },
    { reasoning_text: "Hm" },
    { thinking: "Hm" },
    { reasoning_content: "Hm", reasoning: "Hm", content: null },
    { reasoning: "Hm", reasoning_details: [{ type: "reasoning.text", text: "Hm" }] },
    { reasoning_details: [{ type: "reasoning.summary", summary: "H" }, { text: "m" }] },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] },
  ];
  for (const form of forms) {
    const parts = partsOf(delta(form), delta({ content: [{ type: "text", text: "Yes" }] }), stop);
    const types = parts.map(({ type }) => type);
    const title = JSON.stringify(form);
    assert.equal(textsOf(parts, "reasoning-delta"), "Hm", title);
    assert.equal(textsOf(parts, "text-delta"), "Yes", title);
    assert.ok(types.indexOf("reasoning-end") < types.indexOf("text-delta"), title);
  }
});

// Contract: model-messages-25
test("reads token counts wherever a server sends them", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 };
  const forms: readonly (readonly object[])[] = [
    [stop, { choices: [], usage }],
    [stop, { usage }],
    [{ choices: [{ delta: {}, finish_reason: "stop" }], usage }],
    [{ choices: [{ delta: {}, finish_reason: "stop", usage }] }],
    [stop, { choices: [], x_groq: { usage } }],
    [
      { ...delta({ content: "a" }), usage: { prompt_tokens: 7, completion_tokens: 1 } },
      { ...stop, usage },
    ],
    [stop, { choices: [], usage }, { choices: [], usage: null }],
  ];
  for (const chunks of forms) {
    const last = partsOf(...chunks).at(-1);
    assert.ok(last?.type === "finish", JSON.stringify(last));
    assert.deepEqual([last.usage.inputTokens.total, last.usage.outputTokens.total], [7, 3]);
  }
  const deepSeek = { ...usage, prompt_cache_hit_tokens: 5 };
  const last = partsOf({ ...stop, usage: deepSeek }).at(-1);
  assert.ok(last?.type === "finish" && last.usage.inputTokens.cacheRead === 5);
});

test("reads the finish reasons of all servers", () => {
  const reasons = {
    stop: "stop",
    length: "length",
    model_length: "length",
    tool_calls: "tool-calls",
    function_call: "tool-calls",
    content_filter: "content-filter",
    error: "error",
    insufficient_system_resource: "interrupted",
    eos: "other",
  };
  for (const [raw, unified] of Object.entries(reasons)) {
    const last = partsOf({ choices: [{ delta: {}, finish_reason: raw }] }).at(-1);
    assert.ok(last?.type === "finish");
    assert.deepEqual(last.finishReason, { unified, raw });
  }
});

// Contract: model-messages-15, model-messages-16
test("reports errors, and events that are not chunks", () => {
  const errors: readonly (readonly [chunk: object | string, message: RegExp])[] = [
    [{ error: { message: "on fire", code: 500 } }, /on fire/],
    [{ error: "on fire" }, /on fire/],
    [{ object: "error", message: "on fire", code: 400 }, /on fire/],
    [{ ping: 1 }, /without choices: \{"ping":1\}/],
    ["{oops", /not an object: \{oops/],
    ["5", /not an object: 5/],
    ["null", /not an object/],
  ];
  for (const [chunk, message] of errors) {
    const [part] = partsOf(chunk);
    assert.ok(part?.type === "error", JSON.stringify(chunk));
    const { error } = part;
    assert.match(error instanceof Error ? error.message : JSON.stringify(error), message);
  }
});

test("reads chunks with fields that are missing, null or of other types", () => {
  const parts = partsOf(
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: null }] },
    delta({ role: "", content: 5, refusal: false, tool_calls: null }),
    { ...delta({ content: "Hi" }), error: null, usage: "none", x_groq: 7 },
    stop,
  );
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["text-delta", "finish"],
  );
});
