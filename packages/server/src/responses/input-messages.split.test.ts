import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import type { InputItem } from "./request/parse-input.ts";
import { newItems, splitHistory } from "./input-messages.ts";

const user: Message = { role: "user", content: "u" };
const assistant: Message = { role: "assistant", content: "a" };
const tool: Message = { role: "tool", tool_call_id: "c", name: "T", content: "t" };
const note: Message = { role: "developer", content: "d" };

test("messages before the last output of a model or a tool are history", () => {
  assert.deepEqual(splitHistory([user, note]), { before: [], turn: [user, note] });
  assert.deepEqual(splitHistory([note, user, assistant, note, user]), {
    before: [note, user, assistant],
    turn: [note, user],
  });
  assert.deepEqual(splitHistory([user, assistant, tool]), {
    before: [user, assistant, tool],
    turn: [],
  });
});

test("items after the last model item are new", () => {
  const message: InputItem = { type: "message", status: "completed", role: "user", content: [] };
  const asked: InputItem = {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "files",
    name: "T",
    arguments: "{}",
  };
  const answered: InputItem = {
    type: "mcp_approval_response",
    approval_request_id: "mcpr_1",
    approve: true,
  };
  const said: InputItem = { ...message, role: "assistant" };
  assert.deepEqual(newItems([message, asked, answered]), [answered]);
  assert.deepEqual(newItems([message, asked, answered, said, message]), [message]);
  assert.deepEqual(newItems([message]), [message]);
});
