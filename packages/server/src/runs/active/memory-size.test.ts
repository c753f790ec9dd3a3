import assert from "node:assert/strict";
import { test } from "node:test";
import { memorySize } from "./memory-size.ts";

test("the texts of messages and pictures are counted wherever they are, and the rest a little", () => {
  assert.equal(memorySize({ role: "user", content: "Hello." }), 50);
  const picture = "x".repeat(100_000);
  const message = { role: "user", content: [{ type: "image", image: picture }, "words"] };
  const size = memorySize([message, null, 1, undefined, true]);
  assert.ok(size > 100_000 && size < 100_300);
});

test("what is there twice counts twice", () => {
  const part = { text: "x".repeat(1_000) };
  assert.equal(memorySize([part, part]) - memorySize([part]), memorySize(part));
});
