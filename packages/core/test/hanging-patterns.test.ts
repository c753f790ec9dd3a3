import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../src/arguments/validator.ts";
import type { JsonSchema } from "../src/base/json.ts";
import { loadSchemaChecks } from "../src/arguments/schema-checks.ts";

await loadSchemaChecks();

/** Much longer than these tests take, and much shorter than an engine that hangs. */
const limitMs = 15_000;

function check(schema: JsonSchema, value: unknown): boolean {
  const compiled = compileSchema(schema);
  assert.ok(compiled.status === "compiled", JSON.stringify(compiled));
  // Processor time, so that other processes do not affect the result.
  const start = process.cpuUsage();
  const isValid = compiled.validator.validate(value).length === 0;
  const took = process.cpuUsage(start).user / 1000;
  assert.ok(took < limitMs, `${JSON.stringify(schema).slice(0, 200)} took ${Math.round(took)} ms`);
  return isValid;
}

const exponential = [
  "^(a+)+$",
  "^(a*)*$",
  "^(a|aa)+$",
  "^(a|a?)+$",
  "^(?:a+){20}$",
  "(a+)+b",
  "^(\\w+\\s?)*$",
  "^((a+)+)+$",
  "^(?=(a+)+$)",
  "(a)\\1*(\\1a)*$",
  "^(a?){40}a{40}$",
];
const polynomial = [
  "a*b",
  "^.*,.*,.*$",
  "^a*a*a*$",
  "(?:a|b)*c$",
  "\\s+$",
  "^a?a?a?a?a?a?a?a?[a-z]*$",
];

// Contract: executor-3, executor-166
test("no pattern hangs, on one long text or on many", () => {
  for (const pattern of [...exponential, ...polynomial]) {
    check({ pattern }, `${"a".repeat(1_000_000)}!`);
    check({ pattern }, " ".repeat(1_000_000));
    check({ items: { pattern } }, Array(2_000).fill(`${"a".repeat(500)}!`));
  }
});

test("no pattern on keys hangs", () => {
  const keys = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`${"a".repeat(500)}${i}!`, 1]),
  );
  for (const pattern of [...exponential, ...polynomial]) {
    const schema = { patternProperties: { [pattern]: { type: "string" } } };
    check(schema, keys);
    check(schema, { [`${"a".repeat(1_000_000)}!`]: 1 });
    check({ ...schema, additionalProperties: false }, keys);
  }
});

test("costly patterns are enforced if the texts are short enough", () => {
  for (const [pattern, fits, fitsNot] of [
    ["a*b", "aab", "aa"],
    ["^.*,.*,.*$", "a,b,c", "a,b"],
    ["[0-9]+%$", "of 12%", "of 12"],
  ] as const) {
    assert.equal(check({ pattern }, fits), true);
    assert.equal(check({ pattern }, fitsNot), false);
    assert.equal(check({ not: { pattern } }, fitsNot), true);
    assert.equal(check({ not: { pattern } }, fits), false);
    const keys = { patternProperties: { [pattern]: {} }, additionalProperties: false };
    assert.equal(check(keys, { [fits]: 1 }), true);
    assert.equal(check(keys, { [fitsNot]: 1 }), false);
  }
});

test("a pattern that is not enforced does not make the schema stricter", () => {
  const long = "a".repeat(100_000);
  for (const schema of [
    { pattern: "a*b" },
    { not: { pattern: "a*b" } },
    { oneOf: [{ pattern: "a*b" }, { type: "string" }] },
    { anyOf: [{ pattern: "a*b" }, { maxLength: 3 }] },
  ])
    assert.equal(check(schema, long), true, JSON.stringify(schema));
});

test("no format hangs", () => {
  const formats =
    "date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer regex relative-json-pointer time uri uri-reference uri-template uuid";
  const starts = ["", "a@", "http://", "http://[", "P", "//", '"', "{", "2020-01-01T00:00:00Z["];
  const parts = [
    "a",
    "1",
    ".",
    "/",
    "~0",
    ":",
    "%41",
    "@",
    "a.",
    "::",
    "a-",
    "a,",
    "\\a",
    "ä",
    "(a",
  ];
  for (const format of formats.split(" "))
    for (const start of starts)
      for (const part of parts) check({ format }, `${start}${part.repeat(20_000)}!`);
});

test("a schema cannot hide a pattern from the check", () => {
  const pattern = "^(a+)+$";
  const smuggled: readonly JsonSchema[] = [
    { $ref: "#/$defs/a", $defs: { a: { pattern } } },
    { $ref: "#/components/a", components: { a: { pattern } } },
    { $ref: "#anchor", $defs: { a: { $anchor: "anchor", pattern } } },
    { $ref: "other", $defs: { a: { $id: "other", pattern } } },
    { propertyNames: { pattern }, items: { pattern } },
    { dependencies: { a: { pattern } }, contains: { pattern } },
    { properties: { pattern: { pattern } } },
  ];
  const hangs = `${"a".repeat(5_000)}!`;
  for (const schema of smuggled) {
    for (const value of [hangs, [hangs], { [hangs]: 1 }, { pattern: hangs, a: 1 }])
      check(schema, value);
  }
  const refused: readonly JsonSchema[] = [
    { $ref: "#evil", default: { $anchor: "evil", pattern } },
    { $ref: "evil", examples: [{ $id: "evil", pattern }] },
    { $ref: "#/const", const: { pattern } },
    { $ref: "#/x/properties", x: { properties: { pattern } } },
    { $ref: "#/x", x: { pattern: 5 } },
  ];
  for (const schema of refused)
    assert.equal(compileSchema(schema).status, "refused", JSON.stringify(schema));
});
