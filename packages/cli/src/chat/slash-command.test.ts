import assert from "node:assert/strict";
import { test } from "node:test";
import { readSlashCommand, unknownCommandText } from "./slash-command.ts";

test("the chat's own commands are distinguished from messages", () => {
  assert.deepEqual(readSlashCommand(" /quit "), { type: "quit" });
  assert.deepEqual(readSlashCommand("/model"), { type: "model", id: undefined });
  assert.deepEqual(readSlashCommand("/model a/b "), { type: "model", id: "a/b" });
  assert.deepEqual(readSlashCommand("/vars page 1"), { type: "vars", name: "page 1" });
});

test("an unknown command is not sent to the model, and the nearest one is suggested", () => {
  assert.deepEqual(readSlashCommand("/modle openai/gpt"), { type: "unknown", word: "modle" });
  assert.deepEqual(readSlashCommand("/quitting "), { type: "unknown", word: "quitting" });
  assert.match(unknownCommandText("modle"), /no command \/modle\. .*\/model/);
});

test("every other line goes to the model unchanged", () => {
  for (const text of [
    '/ListFiles {"path":"."}',
    "/get_weather",
    '/weather {"city":"Tokyo"}',
    " /etc is full",
    "/etc/hosts has a wrong line",
    "/new ideas for dinner",
    " hi",
    "/",
  ]) {
    assert.deepEqual(readSlashCommand(text), { type: "message", text });
  }
});
