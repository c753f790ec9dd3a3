import assert from "node:assert/strict";
import { test } from "node:test";
import { createReasoningStream } from "./reasoning-stream.ts";

test("merges overlapping blocks into one that ends with the last of them", () => {
  const reasoning = createReasoningStream();
  const events = [
    reasoning.start("a", { p: { id: "1", sealed: null } }),
    reasoning.delta("a", "First", undefined),
    reasoning.start("b", undefined),
    reasoning.delta("b", "Second", undefined),
    reasoning.end("a", undefined),
    reasoning.end("b", { p: { sealed: "x" } }),
  ].flat();
  assert.deepEqual(events, [
    { type: "reasoning-delta", text: "First" },
    { type: "reasoning-delta", text: "\n\nSecond" },
    { type: "reasoning-end", providerMetadata: { p: { id: "1", sealed: "x" } } },
  ]);
});

test("reports a block without text if it has metadata", () => {
  const reasoning = createReasoningStream();
  reasoning.start("a", { p: { redactedData: "x" } });
  assert.deepEqual(reasoning.end("a", undefined), [
    { type: "reasoning-end", providerMetadata: { p: { redactedData: "x" } } },
  ]);
  reasoning.start("b", undefined);
  assert.deepEqual(reasoning.end("b", undefined), []);
});

test("ends open blocks with the answer", () => {
  const reasoning = createReasoningStream();
  reasoning.delta("a", "Hm", undefined);
  assert.deepEqual(reasoning.finish(), [{ type: "reasoning-end" }]);
  assert.deepEqual(reasoning.finish(), []);
});
