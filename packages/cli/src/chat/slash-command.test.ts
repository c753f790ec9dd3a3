import assert from "node:assert/strict";
import { test } from "node:test";
import { readSlashCommand } from "./slash-command.ts";

test("the chat's own commands are distinguished from messages", () => {
  assert.deepEqual(readSlashCommand(" /quit "), { type: "quit" });
  assert.deepEqual(readSlashCommand("/model"), { type: "model", id: undefined });
  assert.deepEqual(readSlashCommand("/model a/b "), { type: "model", id: "a/b" });
  assert.deepEqual(readSlashCommand("/vars page 1"), { type: "vars", name: "page 1" });
});

test("every other line goes to the model unchanged", () => {
  for (const text of [
    '/ListFiles {"path":"."}',
    "/quitting",
    "/new ideas for dinner",
    " hi",
    "/",
  ]) {
    assert.deepEqual(readSlashCommand(text), { type: "message", text });
  }
});
