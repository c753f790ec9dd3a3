import assert from "node:assert/strict";
import { test } from "node:test";
import { createFailureDetector } from "./failure-detector.ts";

const node = (id: string, beats: number) => ({ id, url: null, beats });

// Contract: durability-55
test("a node is silent if its heartbeats have not increased for long enough by the observer's clock", () => {
  let time = 0;
  const silent = createFailureDetector({ silentMs: 2_000, now: () => time });
  const at = (to: number, ...nodes: ReturnType<typeof node>[]) => {
    time = to;
    return silent(nodes).map(({ id }) => id);
  };
  assert.deepEqual(at(0, node("a", 7), node("b", 1)), []);
  assert.deepEqual(at(1_999, node("a", 7), node("b", 2)), []);
  assert.deepEqual(at(2_000, node("a", 7), node("b", 3)), ["a"]);
  assert.deepEqual(at(2_500, node("a", 8), node("b", 3)), [], "it beats again");
  assert.deepEqual(at(9_000, node("b", 4)), [], "forgets a node that was removed");
  assert.deepEqual(at(9_001, node("a", 8), node("b", 4)), [], "and begins anew");
});
