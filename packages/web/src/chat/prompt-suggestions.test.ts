import assert from "node:assert/strict";
import { test } from "node:test";
import { promptSuggestions } from "./prompt-suggestions.ts";

test("suggestions for the offline model are commands and include the help", () => {
  const texts = promptSuggestions(true, new Set(["ListFiles", "DateTime", "ListVars"])).map(
    (starter) => starter.text,
  );
  assert.equal(texts.length, 3);
  assert.equal(texts[0], '/ListFiles {"path":"."}');
  assert.equal(texts[1]?.split("\n").length, 3);
  assert.equal(texts[2], "/help");
});

test("suggestions that need a disabled tool are omitted", () => {
  assert.deepEqual(
    promptSuggestions(true, new Set()).map((starter) => starter.text),
    ["/help"],
  );
});

test("a real model gets three sentences, whatever tools are enabled", () => {
  for (const tools of [new Set<string>(), new Set(["ListFiles"])]) {
    const found = promptSuggestions(false, tools);
    assert.equal(found.length, 3);
    assert.ok(found.every((starter) => !starter.text.startsWith("/")));
  }
});
