import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolError } from "@capstan/core";
import fc from "fast-check";
import { call } from "@capstan/core/testing";
import { jsonToInterface } from "./json-to-interface.ts";
import { parseJson } from "./parse-json.ts";

const tool = jsonToInterface();
const convert = (value: unknown, name = "Root") =>
  call<string>(tool, { json: JSON.stringify(value), name });

test("objects of an array are merged: missing fields are optional, types are unions", async () => {
  const printed = await convert({
    users: [
      { id: 1, "first-name": "A", tags: ["x"], boss: null },
      { id: "2", tags: [], boss: { id: 3 } },
    ],
  });
  assert.equal(
    printed,
    `export interface Root {
  users: User[];
}

export interface User {
  id: string | number;
  "first-name"?: string;
  tags: string[];
  boss: Boss | null;
}

export interface Boss {
  id: number;
}`,
  );
});

test("interfaces with the same body are merged, and interfaces with the same name are numbered", async () => {
  const printed = await convert({
    from: { x: 1 },
    to: { x: 2 },
    a: { item: { p: 1 } },
    b: { item: { q: 1 } },
  });
  assert.match(printed, /from: From;\n {2}to: From;/);
  assert.match(printed, /interface Item \{\n {2}p: number;/);
  assert.match(printed, /interface Item2 \{\n {2}q: number;/);
});

test("values that are not objects get a type", async () => {
  assert.equal(await convert([1, "a", null]), "export type Root = (string | number | null)[];");
  assert.equal(await convert([]), "export type Root = unknown[];");
  assert.equal(await convert("x", "3 d!"), "export type Type3D = string;");
  assert.equal(await convert({}), "export interface Root {\n\n}");
});

test("invalid JSON is rejected with the position and the expected token", () => {
  const message = (text: string) => {
    const parsed = parseJson(text);
    assert.equal(parsed.status, "invalid");
    return parsed.message;
  };
  assert.match(
    message('{"a": 1,\n "b": x}'),
    /line 2, column 7 .*expected a value or a name in double quotes, found "x"/,
  );
  assert.match(message("{a: 1}"), /column 2 .*a name in double quotes/);
  assert.match(message("[1, 2"), /ends, but a "," or the closing bracket was expected/);
  assert.match(message("[1,]"), /column 4 .*expected a value/);
  assert.match(message('{"a" 1}'), /expected a ":"/);
  assert.match(message("1 2"), /expected nothing more/);
  assert.match(message("[01]"), /column 3/);
  assert.match(message(" "), /empty/);
});

test("JSON that is nested too deeply is rejected", async () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  const result = await call(tool, { json: deep });
  assert.ok(isToolError(result));
  assert.equal(result.code, "too_deep");
  assert.ok(isToolError(await call(tool, { json: "[".repeat(100_000) })));
});

test("an unterminated string of any length is reported quickly", () => {
  const long = "a".repeat(1_000_000);
  for (const text of [`["${long}`, `["${long}\n"]`, `{"k":"${'\\"'.repeat(10_000)}`]) {
    const parsed = parseJson(text);
    assert.equal(parsed.status, "invalid");
    assert.match(parsed.message, /a string has no end/);
  }
});

test("a position is reported for every invalid text and for no valid one", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (json, at, noise) => {
      const cut = at % (json.length + 1);
      const text = json.slice(0, cut) + noise + json.slice(cut);
      const parsed = parseJson(text);
      if (parsed.status === "invalid") assert.match(parsed.message, /empty|expected|has no end/);
      else assert.deepEqual(parsed.value, JSON.parse(text));
    }),
  );
});

test("any JSON gets types with names that are identifiers", () => {
  return fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const printed = await convert(value);
      for (const [, name] of printed.matchAll(/^export (?:interface|type) (\S+)/gm)) {
        assert.match(name!, /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u);
      }
    }),
  );
});

test("a long text does not block the event loop", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const printed = await convert(Array.from({ length: 5_000 }, (_, id) => ({ id })));
  clearInterval(timer);
  assert.match(printed, /id: number/);
  assert.ok(turns > 0);
});
