import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { JsonObject, JsonSchema } from "../base/json.ts";
import { loadSchemaChecks } from "./schema-checks.ts";
import { prepareArguments } from "./prepare-arguments.ts";
import { compileSchema, type PatternEngine } from "./validator.ts";

before(() => loadSchemaChecks());

/** Two references at each level: the parts that apply to one value double with each. */
function doubling(keyword: "allOf" | "anyOf", levels: number, last: JsonSchema): JsonSchema {
  const $defs: { [name: string]: JsonSchema } = { [`a${levels}`]: last };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/a${level + 1}` };
    $defs[`a${level}`] = { [keyword]: [next, next] };
  }
  return { type: "object", $defs, properties: { x: { $ref: "#/$defs/a0" } } };
}

function range<T>(length: number, of: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => of(index));
}

const listOf = (length: number) => ({ x: range(length, (index) => index) });
const members = (length: number, prefix: string, value: unknown) =>
  Object.fromEntries(range(length, (index) => [`${prefix}${index}`, value]));

/** Schemas of a few kilobytes whose checks would take from seconds to years. */
const costly: readonly (readonly [string, JsonSchema, { readonly [key: string]: unknown }])[] = [
  ["failed references", doubling("anyOf", 40, { type: "number" }), { x: "text" }],
  ["matched references", doubling("allOf", 40, { minLength: 1 }), { x: "text" }],
  [
    "schemas of items",
    { properties: { x: { allOf: range(3_000, (index) => ({ items: { minimum: -index } })) } } },
    listOf(20_000),
  ],
  [
    "contained items",
    { properties: { x: { allOf: range(3_000, (index) => ({ contains: { const: index } })) } } },
    listOf(20_000),
  ],
  [
    "many constants",
    { properties: { x: { items: { enum: range(5_000, (index) => `v${index}`) } } } },
    listOf(40_000),
  ],
  [
    "many names",
    { properties: members(10_000, "p", {}), additionalProperties: false },
    members(10_000, "p", 1),
  ],
  ["patterns of names", { patternProperties: members(1_500, "^p", {}) }, members(10_000, "q", 1)],
  [
    "patterns with hundreds of ways",
    { properties: { x: { pattern: `${"[ab]?".repeat(9)}c` } } },
    { x: "a".repeat(1_000_000) },
  ],
  [
    "many texts",
    { properties: { x: { allOf: range(1_000, (index) => ({ pattern: `[a-z]{3}${index}` })) } } },
    { x: "a".repeat(100_000) },
  ],
];

test("a check that would take too long is not begun", () => {
  for (const [name, schema, value] of costly) {
    const compiled = compileSchema(schema);
    assert.ok(compiled.status === "compiled", name);
    const start = performance.now();
    assert.equal(compiled.validator.isValid(value), false, name);
    assert.equal(compiled.validator.validate(value)[0]?.keyword, "effort", name);
    const prepared = prepareArguments(value as JsonObject, schema);
    const message = prepared.status === "invalid" ? prepared.error.message : "";
    assert.match(message, /send less at a time/, name);
    assert.ok(performance.now() - start < 10_000, name);
  }
});

test("large values of ordinary schemas are checked", () => {
  const item = {
    type: "object",
    properties: { id: { type: "integer" }, name: { type: "string", pattern: "^[a-z ]*$" } },
    required: ["id"],
    additionalProperties: false,
  };
  const compiled = compileSchema({ type: "object", properties: { items: { items: item } } });
  assert.ok(compiled.status === "compiled");
  const items = range(20_000, (id) => ({ id, name: "a name of an item" }));
  assert.deepEqual(compiled.validator.validate({ items }), []);
  const [issue] = compiled.validator.validate({ items: [...items.slice(0, 5_000), { id: "x" }] });
  assert.equal(issue?.path, "/items/5000/id");
});

test("references are resolved without a search", () => {
  const compiled = compileSchema({
    $defs: { a: { type: "number" }, ...members(10_000, "b", { type: "string" }) },
    properties: { x: { anyOf: range(3_000, () => ({ $ref: "#/$defs/a" })) } },
  });
  assert.ok(compiled.status === "compiled");
  const start = performance.now();
  assert.deepEqual(compiled.validator.validate({ x: 1 }), []);
  assert.ok(performance.now() - start < 10_000);
});

test("a schema that would take too long to compile is rejected", () => {
  const engine: PatternEngine = () => () => true;
  const refused: readonly (readonly [JsonSchema, RegExp])[] = [
    [{ allOf: range(2_001, (index) => ({ pattern: `a${index}` })) }, /2001 patterns; at most 2000/],
    [{ allOf: range(5_001, () => ({ $ref: "#/$defs/a" })), $defs: { a: {} } }, /5001 references/],
    [
      { allOf: range(20, (index) => ({ pattern: `(a|b)*${"c{1000}".repeat(4)}${index}` })) },
      /patterns of the schema have \d+ parts/,
    ],
    [
      {
        $defs: Object.fromEntries(
          range(500, (index) => [`b${index}`, { $anchor: `n${index}`, type: "string" }]),
        ),
        anyOf: range(500, (index) => ({ $ref: `#n${index}` })),
      },
      /500 references .* Refer to its parts by pointers/,
    ],
  ];
  for (const [schema, message] of refused) {
    const compiled = compileSchema(schema, { pattern: engine });
    assert.match(compiled.status === "refused" ? compiled.message : "", message);
  }
});
