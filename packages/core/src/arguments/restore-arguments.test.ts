import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments, prepareArguments } from "./prepare-arguments.ts";
import { restoreArguments } from "./restore-arguments.ts";
import { loadSchemaChecks } from "./schema-checks.ts";

await loadSchemaChecks();

const restored = (text: string): unknown => restoreArguments(text)?.value;

test("an extra closing bracket is removed, and a missing last brace is added", () => {
  for (const text of ['{"a":{"b":1}}}', '{"a":{"b":1}} ]', '{"a":{"b":1}', '{"a":{"b":1} // end\n'])
    assert.deepEqual(restored(text), { a: { b: 1 } }, text);
  assert.deepEqual(restored('{"a": "x"'), { a: "x" });
  assert.deepEqual(restored('{"a": True'), { a: true });
  const tooFew = [
    '{"a": 12',
    '{"a": 1.5',
    '{"a": "x',
    '{"a": {"b": "x"',
    '{"a": [1, 2',
    '{"a": 1,',
    '{"a":',
    "{",
    "[1",
  ];
  const tooMany = [
    '{"a":1}}}',
    '{"a":1},}',
    '{"a":1}} x',
    '{"a": {"b": 1}}, "c": 2}',
    '{"a":[1]]}',
  ];
  for (const text of [...tooFew, ...tooMany]) assert.equal(restored(text), undefined, text);
});

test("prose and a code fence around one object are removed", () => {
  const texts = [
    'Here are the arguments:\n{"a": 1}\nThat is all.',
    'Sure, I will call it with {"a": 1}',
    "```json\n{'a': 1}\n```",
    'The call:\n```\n{"a": 1,}\n```\nIt lists the folder.',
    '{"a": 1}\n\nThis (as you asked) reads one.',
  ];
  for (const text of texts) assert.deepEqual(restored(text), { a: 1 }, text);
  assert.deepEqual(restoreArguments('Here:\n```json\n{"a": 1,}\n```'), undefined);
  assert.deepEqual(restoreArguments('```json\n{"a": 1,}\n```')?.repairs, [
    "removed the code fence",
    "removed a trailing comma",
  ]);
});

test("text around an object that may belong to the arguments is not prose", () => {
  const texts = [
    'filter: {"a": 1}',
    'filter:\n{"a": 1}',
    'to: Ann, filter: {"a": 1}',
    '"to": "Ann", "filter": {"a": 1}',
    'path=src {"a": 1}',
    '{"a": 1} {"b": 2}',
    '{"a": 1}\nb: 2',
    '{"a": 1}, "b": 2}',
    '[1] {"a": 1}',
    '<call>{"a": 1}</call>',
    '{}""',
    '{"a": 1}{"a": 1}',
    '{{"a": 1}}',
    'Here: {"a": "x"',
    '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
    "no object",
    "```",
  ];
  for (const text of texts) assert.equal(restored(text), undefined, text);
});

test("an object within a JSON string is restored too", () => {
  assert.deepEqual(parseArguments(`"{'a': 1}"`), {
    status: "parsed",
    args: { a: 1 },
    repairs: ["parsed the object in a JSON string", "read single quotes as double quotes"],
  });
});

test("a wrapper that the tool's schema does not have is removed", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string" }, depth: { type: "integer" } },
    required: ["path"],
  };
  const args = (given: Parameters<typeof prepareArguments>[0]) => {
    const prepared = prepareArguments(given, schema);
    return prepared.status === "valid" ? prepared.args : prepared.error.message;
  };
  for (const name of ["arguments", "args", "kwargs", "parameters", "params", "input", "tool_input"])
    assert.deepEqual(args({ [name]: { path: ".", depth: "2" } }), { path: ".", depth: 2 }, name);
  assert.deepEqual(args({ input: "{'path': '.'}" }), { path: "." });
  assert.deepEqual(args({ arguments: { input: { path: "." } } }), { path: "." });
  // Other keys, further members, invalid arguments, and a parameter with that name.
  for (const given of [
    { data: { path: "." } },
    { input: { path: "." }, depth: 1 },
    { input: { depth: 1 } },
    { input: "." },
    {},
  ])
    assert.match(String(args(given)), /^The arguments are invalid:\n- \/path is required/);
  const own = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
  assert.equal(prepareArguments({ input: { input: "x" } }, own).status, "invalid");
});

test("10 MB of broken text are rejected in linear time", () => {
  const start = process.threadCpuUsage().user;
  for (const text of ["a: ", "``` ", "{ ", "} ", "( ", "word ", "{}"])
    assert.equal(restored(text.repeat(2_000_000)), undefined);
  assert.ok(process.threadCpuUsage().user - start < 10_000_000);
});
