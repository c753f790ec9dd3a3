import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsLine, parseJsonObject, plainArgumentsLine, prettyJson } from "./json-text.ts";

test("arguments are formatted as one line", () => {
  assert.equal(argumentsLine({ path: ".", limit: 3 }), 'path: "." · limit: 3');
  assert.equal(plainArgumentsLine({ path: ".", tags: ["a"] }), "path: . · tags: …");
  assert.ok(argumentsLine({ text: "x".repeat(500) }).endsWith("…"));
});

test("typed JSON becomes an object or an error message", () => {
  assert.deepEqual(parseJsonObject('{"a":1}'), { type: "object", value: { a: 1 } });
  assert.equal(parseJsonObject("[1]").type, "invalid");
  assert.match((parseJsonObject("{") as { message: string }).message, /not JSON/);
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson("no"), "no");
});
