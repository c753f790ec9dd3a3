import assert from "node:assert/strict";
import { test } from "node:test";
import { dataRoom } from "./data-room.ts";

test("the texts of messages and pictures are counted wherever they are, and the rest a little", () => {
  assert.equal(dataRoom({ role: "user", content: "Hello." }), 50);
  const picture = "x".repeat(100_000);
  const message = { role: "user", content: [{ type: "image", image: picture }, "words"] };
  const room = dataRoom([message, null, 1, undefined, true]);
  assert.ok(room > 100_000 && room < 100_300);
});

test("what is there twice counts twice", () => {
  const part = { text: "x".repeat(1_000) };
  assert.equal(dataRoom([part, part]) - dataRoom([part]), dataRoom(part));
});
