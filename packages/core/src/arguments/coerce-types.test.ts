import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { coerceArguments } from "./coerce-types.ts";

/** Returns the repaired value under a schema, or the same value if it is not repaired. */
function repaired(schema: JsonSchema | boolean, value: JsonValue): JsonValue | undefined {
  const outcome = coerceArguments({ value }, { type: "object", properties: { value: schema } });
  return outcome ? outcome.args["value"] : value;
}

test("values in text form get the type that the schema requires", () => {
  assert.deepEqual(repaired({ type: "array" }, "[1, 2]"), [1, 2]);
  assert.deepEqual(repaired({ type: "array" }, "['a', None]"), ["a", null]);
  assert.deepEqual(repaired({ type: "object" }, '{"a":{}}'), { a: {} });
  assert.deepEqual(repaired({ type: "object" }, "{'dark': True,}"), { dark: true });
  assert.equal(repaired({ type: "integer" }, "5"), 5);
  assert.equal(repaired({ type: "number" }, "-0.5"), -0.5);
  assert.equal(repaired({ type: "number" }, "20.0"), 20);
  assert.equal(repaired({ type: "number" }, "-1.50"), -1.5);
  assert.equal(repaired({ type: "integer" }, "300.00"), 300);
  assert.equal(repaired({ type: "boolean" }, "false"), false);
  assert.equal(repaired({ type: "boolean" }, "True"), true);
  assert.equal(repaired({ enum: [1, 2] }, "2"), 2);
  assert.equal(repaired({ type: ["integer", "null"] }, "7"), 7);
});

test("a value without an exact conversion is unchanged", () => {
  const numbers = [
    "5.",
    ".5",
    "-0.0",
    "1e3",
    " 5",
    "05",
    "+5",
    "-0",
    "0x10",
    "12345678901234567890",
    "NaN",
    "Infinity",
    "",
    "5,0",
    // Ambiguous: one thousand, or one.
    "1.000",
    "-20.500",
    "٥",
  ];
  for (const text of numbers) assert.equal(repaired({ type: "number" }, text), text, text);
  assert.equal(repaired({ type: "integer" }, "5.5"), "5.5");
  for (const text of ["TRUE", "yes", "1", ""])
    assert.equal(repaired({ type: "boolean" }, text), text);
  for (const text of [
    '{"a":1,"a":2}',
    "{a:1}",
    '{"a":1',
    '{"a":1}}',
    "{'a', 'b'}",
    '{"a":12345678901234567891}',
    "[1]",
    "null",
  ]) {
    assert.equal(repaired({ type: "object" }, text), text, text);
  }
  assert.equal(repaired({ type: "string" }, 5), 5);
  assert.equal(repaired({ type: "integer" }, true), true);
});

test("text never changes if text is allowed", () => {
  const schemas: readonly (JsonSchema | boolean)[] = [
    true,
    {},
    { type: "string" },
    { type: ["string", "integer"] },
    { anyOf: [{ type: "integer" }, { type: "string" }] },
    { oneOf: [{ type: "array" }, { type: "string", maxLength: 1 }] },
    { enum: [5, "x"] },
    { minimum: 3 },
  ];
  for (const schema of schemas) {
    for (const text of ["5", "true", "[1]", "{}"])
      assert.equal(repaired(schema, text), text, JSON.stringify(schema));
  }
});

test("a single value becomes a list of one if the list can contain it", () => {
  assert.deepEqual(repaired({ type: "array", items: { type: "string" } }, "a"), ["a"]);
  assert.deepEqual(repaired({ type: "array", items: { type: "integer" } }, "5"), [5]);
  assert.deepEqual(repaired({ type: "array", items: { type: "string" } }, "src/a-b c.ts"), [
    "src/a-b c.ts",
  ]);
  assert.deepEqual(repaired({ type: "array", items: { type: "object" } }, { a: 1 }), [{ a: 1 }]);
  assert.equal(repaired({ type: "array", items: { type: "integer" } }, "a"), "a");
});

test("text that may be meant as several items does not become a list of one", () => {
  const texts = [
    "a,b",
    "INBOX, UNREAD",
    "a; b",
    "a|b",
    "one\ntwo",
    "a\tb",
    "a、b",
    "[draft] notes",
    "{'a', 'b'}",
    "('a', 'b')",
    "f(x)",
    "[a, b]",
    '["a", "b',
    "[1, 2",
    "[[1]",
  ];
  for (const text of texts) {
    assert.equal(repaired({ type: "array", items: { type: "string" } }, text), text, text);
    const grid = { type: "array", items: { type: "array", items: { type: "string" } } };
    assert.equal(repaired(grid, text), text, text);
  }
  assert.deepEqual(repaired({ type: "array", items: { type: "string" } }, "['a', 'b']"), [
    "a",
    "b",
  ]);
});

test("several texts for a list of lists stay, also if null is allowed as a list", () => {
  // One list of two texts, or two lists of one.
  const lists = { type: "array", items: { type: "string" } };
  const optional = { anyOf: [lists, { type: "null" }] };
  for (const items of [lists, optional, { ...lists, type: ["array", "null"] }]) {
    assert.deepEqual(repaired({ type: "array", items }, ["", ""]), ["", ""]);
    const deep = [["a", "b"], ["c"]];
    assert.deepEqual(repaired({ type: "array", items: { type: "array", items } }, deep), deep);
  }
  const read = { type: "array", items: { anyOf: [lists, { type: "object" }] } };
  assert.deepEqual(repaired(read, ['{"a":1}', '{"b":2}']), [{ a: 1 }, { b: 2 }]);
});

test("an ambiguous value is unchanged", () => {
  const numberOrTexts = { type: ["number", "array"], items: { type: "string" } };
  assert.equal(repaired(numberOrTexts, "5"), "5");
  assert.equal(repaired({ type: ["number", "array"], items: { type: "integer" } }, "5"), 5);
  const grid = { type: "array", items: { type: "array", items: { type: "integer" } } };
  assert.deepEqual(repaired(grid, [1, 2]), [1, 2]);
  assert.deepEqual(repaired(grid, [1]), [[1]]);
  assert.deepEqual(repaired(grid, [[1], 2]), [[1], [2]]);
  const cube = { type: "array", items: grid };
  assert.deepEqual(repaired(cube, [[1], [2]]), [[1], [2]]);
  assert.deepEqual(repaired(cube, [[[1]], [2]]), [[[1]], [[2]]]);
  const list = { type: "array", items: { type: ["string", "null"] } };
  const needed = coerceArguments({ list: null }, { properties: { list }, required: ["list"] });
  assert.equal(needed, undefined);
});

test("null for an optional property is removed; an allowed or required null is unchanged", () => {
  const schema = {
    properties: {
      a: { type: "string" },
      b: { type: ["string", "null"] },
      c: { type: "string" },
      d: {},
    },
    required: ["c"],
  };
  const outcome = coerceArguments({ a: null, b: null, c: null, d: null, e: null }, schema);
  assert.deepEqual(outcome, {
    args: { b: null, c: null, d: null, e: null },
    repairs: ["/a: null removed"],
  });
  const inOne = {
    properties: { a: { type: "string" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  };
  assert.equal(coerceArguments({ a: null }, inOne), undefined);
});

test("nested values are repaired, through references, combinations and recursion", () => {
  const schema = {
    properties: { tree: { $ref: "#/$defs/node" } },
    $defs: {
      node: {
        allOf: [{ properties: { size: { type: "integer" } } }],
        properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
      },
    },
  };
  const args = { tree: { size: "1", children: '[{"size":"2"},{"children":{"size":"3"}}]' } };
  const before = structuredClone(args);
  assert.deepEqual(coerceArguments(args, schema)?.args, {
    tree: { size: 1, children: [{ size: 2 }, { children: [{ size: 3 }] }] },
  });
  assert.deepEqual(args, before);
});

test("a reference overrides its neighbours in draft-07, and is resolved at its position", () => {
  const beside = { $ref: "#/definitions/any", type: "integer" };
  const old = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { a: beside, n: { type: "integer" } },
    definitions: { any: {} },
  };
  assert.deepEqual(coerceArguments({ a: "5", n: "5" }, old)?.args, { a: "5", n: 5 });
  const nested = {
    properties: { a: { $ref: "inner" }, b: { $ref: "#count" } },
    $defs: {
      inner: { $id: "inner", items: { $ref: "#/$defs/x" }, $defs: { x: { type: "boolean" } } },
      count: { $anchor: "count", type: "integer" },
      x: { type: "integer" },
    },
  };
  assert.deepEqual(coerceArguments({ a: ["true", "5"], b: "5" }, nested)?.args, {
    a: [true, "5"],
    b: 5,
  });
});

test("keys of a pattern and members of a constant list also have schemas", () => {
  const schema = {
    patternProperties: { "^n": { type: "integer" }, "^t": { type: "string" } },
    additionalProperties: { type: "boolean" },
    properties: { pair: { enum: [[1, 2], [3]] } },
  };
  const args = { n1: "5", t1: "5", other: "true", pair: ["1", "2"], nt: null };
  assert.deepEqual(coerceArguments(args, schema)?.args, {
    n1: 5,
    t1: "5",
    other: true,
    pair: [1, 2],
    // The schema does not name it, so null may have a meaning.
    nt: null,
  });
});

test("only the first of many repairs are described", () => {
  const outcome = coerceArguments(
    { a: Array.from({ length: 100 }, () => "5") },
    { properties: { a: { type: "array", items: { type: "integer" } } } },
  );
  assert.equal(outcome?.repairs.length, 21);
  assert.equal(outcome?.repairs.at(-1), "and 80 more");
});

test("alternatives that contradict the value's constants are ignored", () => {
  const schema = {
    anyOf: [
      { type: "object", properties: { kind: { const: "count" }, x: { type: "integer" } } },
      { type: "object", properties: { kind: { const: "name" }, x: { type: "string" } } },
      { type: "array", items: { type: "integer" } },
    ],
  };
  assert.deepEqual(repaired(schema, { kind: "count", x: "5" }), { kind: "count", x: 5 });
  assert.deepEqual(repaired(schema, { kind: "name", x: "5" }), { kind: "name", x: "5" });
  assert.deepEqual(repaired(schema, { x: "5" }), { x: "5" });
});

test("if nothing can be repaired, there is no repair", () => {
  assert.equal(
    coerceArguments({ value: "x" }, { properties: { value: { type: "integer" } } }),
    undefined,
  );
});

test("a value without repairs keeps its identity", () => {
  const args = { big: { a: [1] }, n: "5" };
  const outcome = coerceArguments(args, { properties: { n: { type: "integer" } } });
  assert.equal(outcome?.args["big"], args.big);
});

test("prototypes are safe", () => {
  const args = JSON.parse('{"__proto__":"5","n":"5"}') as JsonObject;
  const properties = JSON.parse(
    '{"__proto__":{"type":"integer"},"n":{"type":"integer"}}',
  ) as JsonSchema;
  const outcome = coerceArguments(args, { properties });
  assert.deepEqual(Object.entries(outcome?.args ?? {}), [
    ["__proto__", 5],
    ["n", 5],
  ]);
});

test("recursion ends for all schemas that refer to themselves", () => {
  const alternatives = Array.from({ length: 10 }, (_, i) => ({ $ref: `#/$defs/s${i}` }));
  const $defs = Object.fromEntries(
    alternatives.map((_, i) => [
      `s${i}`,
      { anyOf: alternatives, allOf: alternatives, properties: { a: { anyOf: alternatives } } },
    ]),
  );
  let value: JsonValue = "5";
  for (let i = 0; i < 100; i++) value = { a: value };
  const start = performance.now();
  coerceArguments({ value }, { properties: { value: { anyOf: alternatives } }, $defs });
  coerceArguments({ value }, { $ref: "#" });
  assert.ok(performance.now() - start < 10_000);
});
