import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { newMessages } from "./item-messages.ts";

const user: Message = { role: "user", content: "u" };
const assistant: Message = { role: "assistant", content: "a" };
const tool: Message = { role: "tool", tool_call_id: "c", name: "T", content: "t" };
const note: Message = { role: "developer", content: "d" };

test("messages before the last output of a model or a tool are history", () => {
  const alone = { adopts: false };
  assert.deepEqual(newMessages([user, note], alone), { before: [], turn: [user, note] });
  assert.deepEqual(newMessages([note, user, assistant, note, user], alone), {
    before: [note, user, assistant],
    turn: [note, user],
  });
  assert.deepEqual(newMessages([user, assistant, tool], alone), {
    before: [user, assistant, tool],
    turn: [],
  });
});

test("in a continued turn, new messages follow the turn in their order", () => {
  assert.deepEqual(newMessages([assistant, user], { adopts: true }), {
    before: [],
    turn: [assistant, user],
  });
});
