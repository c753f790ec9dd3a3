import assert from "node:assert/strict";
import { test } from "node:test";
import { promptSuggestions } from "./prompt-suggestions.ts";

test("the offline model gets commands, with the help among them", () => {
  const texts = promptSuggestions(true, new Set(["ListFiles", "DateTime", "ListVars"])).map(
    (starter) => starter.text,
  );
  assert.equal(texts.length, 3);
  assert.equal(texts[0], '/ListFiles {"path":"."}');
  assert.equal(texts[1]?.split("\n").length, 3);
  assert.equal(texts[2], "/help");
});

test("nothing is offered that needs a tool that is off", () => {
  assert.deepEqual(
    promptSuggestions(true, new Set()).map((starter) => starter.text),
    ["/help"],
  );
});

test("a real model gets three sentences, whatever is on", () => {
  for (const tools of [new Set<string>(), new Set(["ListFiles"])]) {
    const found = promptSuggestions(false, tools);
    assert.equal(found.length, 3);
    assert.ok(found.every((starter) => !starter.text.startsWith("/")));
  }
});
