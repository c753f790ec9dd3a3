import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunView } from "@capstan/contract";
import { groupTurns, inputText } from "./group-turns.ts";

function run(id: string, previous: string | null, text: string) {
  const input = text === "" ? [] : [{ type: "message", role: "user", content: text }];
  return { view: { id, previous, input } as unknown as RunView };
}

const ids = (turns: ReturnType<typeof groupTurns>) =>
  turns.map((turn) => turn.runs.map((entry) => entry.view.id));

test("each message is a turn, even if the same text is sent twice", () => {
  const runs = [run("a", null, "hello"), run("b", "a", "hello"), run("c", "b", "more")];
  assert.deepEqual(ids(groupTurns(runs)), [["a"], ["b"], ["c"]]);
});

test("a retry belongs to the turn that it continues", () => {
  const runs = [run("a", null, "hello"), run("b", "a", ""), run("c", "b", "next")];
  assert.deepEqual(ids(groupTurns(runs)), [["a", "b"], ["c"]]);
});

test("input is read in every form that the Responses API allows", () => {
  const parts = [
    { type: "input_text", text: "one" },
    { type: "input_image" },
    { type: "input_text", text: "two" },
  ];
  assert.equal(
    inputText([
      { role: "user", content: parts },
      "three",
      { role: "assistant", content: "no" },
      null,
    ]),
    "one\ntwo\n\nthree",
  );
});
