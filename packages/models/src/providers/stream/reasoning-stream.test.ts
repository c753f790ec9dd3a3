import assert from "node:assert/strict";
import { test } from "node:test";
import { createReasoningStream } from "./reasoning-stream.ts";

test("blocks that are open at once are one, which ends with the last of them", () => {
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

test("a block without text is reported if it has metadata", () => {
  const reasoning = createReasoningStream();
  reasoning.start("a", { p: { redactedData: "x" } });
  assert.deepEqual(reasoning.end("a", undefined), [
    { type: "reasoning-end", providerMetadata: { p: { redactedData: "x" } } },
  ]);
  reasoning.start("b", undefined);
  assert.deepEqual(reasoning.end("b", undefined), []);
});

test("open blocks end with the answer", () => {
  const reasoning = createReasoningStream();
  reasoning.delta("a", "Hm", undefined);
  assert.deepEqual(reasoning.finish(), [{ type: "reasoning-end" }]);
  assert.deepEqual(reasoning.finish(), []);
});
