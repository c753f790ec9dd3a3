import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../base/json.ts";
import { readRelaxedJson } from "./relaxed-json.ts";

const read = (text: string): JsonValue | undefined => readRelaxedJson(text)?.value;

test("single and curly quotes, Python's words, comments and trailing commas are read", () => {
  assert.deepEqual(read(`{'a': "it's", 'b': [True, False, None], 'c': 'say "hi"'}`), {
    a: "it's",
    b: [true, false, null],
    c: 'say "hi"',
  });
  assert.deepEqual(read("{“a”: ‘b’, 'it’s': \"“quoted”\"}"), { a: "b", "it’s": "“quoted”" });
  assert.deepEqual(
    read('// first\n{"a": 1, # one\n "b" /* two */: [2,\n // three\n],} // the end'),
    { a: 1, b: [2] },
  );
  assert.deepEqual(read('{"range": \\n[1, 2]\\n}'), { range: [1, 2] });
});

test("raw control characters in a string are kept, and foreign escapes get their meaning", () => {
  assert.deepEqual(read('["one\ntwo\tthree\u0000\u007f"]'), ["one\ntwo\tthree\u0000\u007f"]);
  assert.deepEqual(read(String.raw`['it\'s \x41 \u00e9 \n "']`), ["it's A é \n \""]);
});

test("each repair is named", () => {
  assert.deepEqual(readRelaxedJson("{'a': True, 'b': 'x',}")?.repairs, [
    "read single quotes as double quotes",
    "read Python's True, False and None",
    "removed a trailing comma",
  ]);
  assert.deepEqual(readRelaxedJson('{"a": 1}')?.repairs, []);
});

test("ambiguous text is rejected", () => {
  const texts = [
    // An unescaped quote, or an unterminated string.
    "{'a': 'it's'}",
    '{"a": "say "hi""}',
    "{“a”: “say “hi””}",
    '{“a": “b"}',
    '{"a": "b}',
    '{"a": "b,\n"c": "d"}',
    // An escape that some parsers drop and others keep.
    String.raw`{'a': 'b\/c'}`,
    String.raw`{"path": "C:\dir"}`,
    String.raw`['\0']`,
    // Bare words and other notations.
    "{a: 1}",
    '{"a": undefined}',
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": TRUE}',
    '{"a": b"x"}',
    "('a', 'b')",
    "{'a', 'b'}",
    // Numbers in other notations, or beyond a double.
    "[01]",
    "[+1]",
    "[.5]",
    "[1.]",
    "[1_000]",
    "[0x10]",
    "[12345678901234567891,]",
    "[1e999,]",
    // These texts lack a part, are cut off, or have an extra part.
    '{"a" 1}',
    '{"a": 1 "b": 2}',
    "[1 2]",
    "[,]",
    "[1,,2]",
    '{"a": [1, 2}',
    "[1, 2",
    '{"a": 1',
    '{"a": 1 // the rest may be a comment: }',
    '{"a": 1 /* never ended }',
    "[1] [2]",
    // A repeated key.
    "{'a': 1, 'a': 2}",
    "",
    "[".repeat(201) + "]".repeat(201),
  ];
  for (const text of texts) assert.equal(readRelaxedJson(text), undefined, text);
});

test("keys that could pollute a prototype are own data", () => {
  const value = read("{'__proto__': {'polluted': True}}") as object;
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

const value = fc.jsonValue().map((any) => JSON.parse(JSON.stringify(any)) as JsonValue);

test("strict JSON is read as by JSON.parse, or rejected", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const outcome = readRelaxedJson(text);
      if (outcome !== undefined) assert.deepEqual(outcome.value, JSON.parse(text), text);
    }),
  );
});

test("comments and white space between tokens change nothing", () => {
  const filler = fc.constantFrom(" ", "\n", "# a, b: {'c'}\n", "// [\n", '/* "x": */', "\\n");
  fc.assert(
    fc.property(value, fc.infiniteStream(filler), (any, fillers) => {
      const text = JSON.stringify(any, null, 1).replaceAll("\n", () => fillers.next().value);
      assert.deepEqual(read(text), any, text);
    }),
  );
});

test("every value that is read from any text equals its strict JSON", () => {
  const char = fc.constantFrom(..."{}[]'\"“”,:#/\\\n 1ab".split(""));
  fc.assert(
    fc.property(fc.string({ unit: char, maxLength: 30 }), (text) => {
      const outcome = readRelaxedJson(text);
      if (outcome === undefined) return;
      const again = readRelaxedJson(JSON.stringify(outcome.value));
      assert.deepEqual(again, { ...again, value: outcome.value, repairs: [] });
      if (outcome.repairs.length === 0) assert.deepEqual(outcome.value, JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

test("10 MB of broken text are read in linear time", () => {
  const start = process.threadCpuUsage().user;
  for (const text of [
    `{'a': '${"x".repeat(10_000_000)}'}`,
    `['${"', '".repeat(1_000_000)}']`,
    "{'a':".repeat(2_000_000),
    "/*".repeat(5_000_000),
    "# \n".repeat(3_000_000),
    `{"a": "${"\\x41".repeat(1_000_000)}`,
  ])
    readRelaxedJson(text);
  assert.ok(process.threadCpuUsage().user - start < 10_000_000);
});
