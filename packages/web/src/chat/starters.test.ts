import assert from "node:assert/strict";
import { test } from "node:test";
import { startersFor } from "./starters.ts";

test("the offline model gets commands, with the help among them", () => {
  const texts = startersFor(true, new Set(["ListFiles", "DateTime", "ListVars"])).map(
    (starter) => starter.text,
  );
  assert.equal(texts.length, 3);
  assert.equal(texts[0], '/ListFiles {"path":"."}');
  assert.equal(texts[1]?.split("\n").length, 3);
  assert.equal(texts[2], "/help");
});

test("nothing is offered that needs a tool that is off", () => {
  assert.deepEqual(
    startersFor(true, new Set()).map((starter) => starter.text),
    ["/help"],
  );
});

test("a real model gets three sentences, whatever is on", () => {
  for (const tools of [new Set<string>(), new Set(["ListFiles"])]) {
    const found = startersFor(false, tools);
    assert.equal(found.length, 3);
    assert.ok(found.every((starter) => !starter.text.startsWith("/")));
  }
});
