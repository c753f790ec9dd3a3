import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunView } from "@capstan/contract";
import { foldRunEvents } from "../run/fold-run-event.ts";
import { initialRunState } from "../run/run-state.ts";
import { conversationMarkdown } from "./conversation-markdown.ts";

const content = [
  { type: "input_text", text: "Count `the` words" },
  { type: "input_file", file_id: "file-1", filename: "a [b].txt" },
];
const view = {
  id: "resp_1",
  model: "some-model",
  input: [{ type: "message", role: "user", content }],
  error: null,
} as unknown as RunView;

test("writes messages, files, calls and answers", () => {
  const state = foldRunEvents(initialRunState, [
    { seq: 1, type: "item.start", itemId: "t", kind: "text" },
    { seq: 2, type: "item.end", itemId: "t", text: "I look.\n" },
    {
      seq: 3,
      type: "call.proposed",
      callId: "c",
      name: "Read`File",
      owner: "gate",
      round: 1,
      at: 1,
      argumentsText: "{}",
      args: { path: "a``b", long: "x".repeat(600) },
      repairs: [],
    },
    { seq: 4, type: "item.start", itemId: "u", kind: "text" },
    { seq: 5, type: "item.end", itemId: "u", text: "# Two words" },
  ] as never);
  const runs = [{ view, state }];
  const fileAddresses = new Map([["file-1", "files/a.txt"]]);
  const text = conversationMarkdown({ title: "A\nchat", runs, fileAddresses });
  assert.match(
    text,
    /^# A chat\n\n## You\n\nCount `the` words\n\n- \[a \\\[b\\\]\.txt\]\(<files\/a\.txt>\)\n\n## some-model\n\nI look\.\n\n> \*\*Read`File\*\* ``` \{"path":"a``b","long":"x+… ``` \(proposed\)\n\n# Two words\n$/,
  );
  assert.match(conversationMarkdown({ title: "A", runs }), /\n- a \\\[b\\\]\.txt\n/);
});

test("a failed turn is marked as failed", () => {
  const failed = { ...view, error: { code: "server", message: "No\nmodel", phase: "model" } };
  const runs = [{ view: failed as RunView, state: initialRunState }];
  assert.match(conversationMarkdown({ title: "A", runs }), /> This turn failed: No model\n$/);
});
