import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../base/json.ts";
import { compileSchema, type PatternEngine, type ValidationIssue } from "./validator.ts";
import { loadSchemaChecks } from "./schema-checks.ts";

await loadSchemaChecks();

function issues(
  schema: JsonSchema,
  value: unknown,
  pattern?: PatternEngine,
): readonly ValidationIssue[] {
  const compiled = compileSchema(schema, pattern ? { pattern } : {});
  assert.equal(compiled.status, "compiled", JSON.stringify(compiled));
  return compiled.status === "compiled" ? compiled.validator.validate(value) : [];
}

function refusal(schema: unknown): string {
  const compiled = compileSchema(schema as JsonSchema);
  return compiled.status === "refused" ? compiled.message : "compiled";
}

test("an issue names the path, the expected and the received value", () => {
  const schema = {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1 },
      mode: { enum: ["a", "b"] },
      "x/y": { type: "string" },
    },
    required: ["count"],
    additionalProperties: false,
  };
  assert.deepEqual(issues(schema, { count: 2, mode: "a" }), []);
  assert.deepEqual(
    issues(schema, { mode: "c", extra: 1, "x/y": [5] }).map(({ path, expected, received }) => [
      path,
      expected,
      received,
    ]),
    [
      ["/count", "a value", "nothing"],
      ["/extra", "no such property", "a whole number 1"],
      ["/mode", 'one of "a", "b"', 'text "c"'],
      ["/x~1y", "text", "a list [5]"],
    ],
  );
  assert.equal(
    issues(schema, { count: 0 })[0]?.message,
    "/count: expected a number >= 1, got a whole number 0",
  );
});

test("a value of any size is shortened", () => {
  const [issue] = issues(
    { properties: { a: { type: "integer" } } },
    { a: Array<string>(1000).fill("y".repeat(1000)) },
  );
  assert.ok((issue?.received.length ?? 0) < 100);
});

test("an issue explains the alternative that was meant, else the requirements of each alternative", () => {
  const either = {
    properties: {
      a: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "string" } }] },
    },
  };
  assert.deepEqual(
    issues(either, { a: "x" }).map(({ message }) => message),
    ['/a: expected a whole number, or a list, got text "x"'],
  );
  assert.deepEqual(
    issues(either, { a: ["x", 1] }).map(({ path }) => path),
    ["/a/1"],
  );
  const kinds = {
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "a" }, x: { type: "integer" } },
        required: ["kind", "x"],
      },
      {
        type: "object",
        properties: { kind: { const: "b" }, y: { type: "string" } },
        required: ["kind", "y"],
      },
    ],
  };
  assert.deepEqual(
    issues(kinds, { kind: "b", y: 1 }).map(({ path }) => path),
    ["/y"],
  );
  const many = { anyOf: Array.from({ length: 12 }, (_, i) => ({ const: i })) };
  assert.equal(issues(many, "x").length, 1);
});

test("required checks only own properties, also those named like inherited ones", () => {
  for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty", "valueOf"]) {
    assert.deepEqual(
      issues({ type: "object", required: [name] }, {}).map(({ path }) => path),
      [`/${name}`],
    );
    const own = JSON.parse(`{"${name}":"x"}`) as object;
    assert.deepEqual(issues({ type: "object", required: [name] }, own), []);
    const properties = JSON.parse(`{"${name}":{"type":"string"}}`) as JsonSchema;
    assert.deepEqual(issues({ type: "object", properties }, {}), []);
    assert.equal(issues({ type: "object", properties }, JSON.parse(`{"${name}":5}`)).length, 1);
  }
});

test("an invalid schema is rejected with the path", () => {
  assert.match(refusal({ type: "strin" }), /type/);
  assert.match(refusal({ properties: { a: { minLength: "x" } } }), /\/properties\/a\/minLength/);
  assert.match(refusal({ properties: { a: { required: true } } }), /\/properties\/a\/required/);
  assert.match(refusal({ $ref: "#/$defs/nope" }), /has no target/);
  assert.match(refusal({ $ref: "https://example.org/schema.json" }), /has no target/);
  assert.match(
    refusal({ properties: { a: { pattern: "(" } } }),
    /\/properties\/a\/pattern: .* not a regular expression/,
  );
  assert.match(
    refusal({
      items: {
        a: 1n,
        f: {
          toJSON: () => {
            throw new Error("no");
          },
        },
      },
    }),
    /not JSON/,
  );
  const circular: { [key: string]: unknown } = {};
  circular["not"] = circular;
  assert.match(refusal(circular), /refers to itself/);
});

test("properties in a failed condition are not evaluated", () => {
  const schema = {
    properties: { method: { enum: ["get", "post"] }, retries: { type: "integer" } },
    if: { properties: { method: { const: "post" }, body: {} } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["body"] },
    unevaluatedProperties: false,
  };
  assert.deepEqual(issues(schema, { method: "get", retries: 3 }), []);
  assert.deepEqual(issues(schema, { method: "post", body: 1 }), []);
  assert.deepEqual(
    issues(schema, { method: "get", body: 1 }).map(({ path }) => path),
    ["/body"],
  );
});

test("items that are evaluated within an item are not evaluated in the list", () => {
  const schema = { contains: { type: "array", prefixItems: [{}, {}] }, unevaluatedItems: false };
  assert.deepEqual(issues(schema, [[1, 2]]), []);
  assert.equal(issues(schema, [[1, 2], "y"]).length, 1);
});

test("repeated items are reported by value", () => {
  const [issue] = issues({ uniqueItems: true }, [{ a: 1, b: [2] }, 1, { b: [2], a: 1 }]);
  assert.equal(issue?.keyword, "uniqueItems");
  assert.match(issue?.message ?? "", /a list without repeated items, got a list/);
  assert.deepEqual(issues({ uniqueItems: true }, [1, "1", true, null, [1]]), []);
  assert.deepEqual(issues({ uniqueItems: false }, [1, 1]), []);
});

test("true and false are schemas; other values that are not objects are rejected", () => {
  const verdict = (schema: boolean) => {
    const compiled = compileSchema(schema);
    return compiled.status === "compiled" && compiled.validator.isValid({ a: 1 });
  };
  assert.deepEqual([verdict(true), verdict(false)], [true, false]);
  for (const schema of [null, "object", 5, []])
    assert.match(refusal(schema), /A schema is an object/);
});

test("recursive schemas work; an endless schema or a value that is too deep is an issue, not a crash", () => {
  const tree = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: { next: { $ref: "#/$defs/node" } },
        additionalProperties: false,
      },
    },
  };
  assert.deepEqual(issues(tree, { next: { next: {} } }), []);
  assert.equal(issues(tree, { next: { nxt: {} } })[0]?.path, "/next/nxt");
  assert.equal(issues({ $ref: "#" }, 1)[0]?.keyword, "effort");
  let deep: unknown = {};
  for (let i = 0; i < 100_000; i++) deep = { next: deep };
  assert.ok(issues(tree, deep).length > 0);
});

test("$schema selects between both drafts", () => {
  const draft7 = "http://json-schema.org/draft-07/schema#";
  assert.equal(
    issues({ $schema: draft7, items: [{ type: "string" }], additionalItems: false }, ["a", 1])
      .length,
    1,
  );
  const beside = {
    properties: { a: { $ref: "#/definitions/s", maxLength: 1 } },
    definitions: { s: { type: "string" } },
  };
  assert.deepEqual(issues({ $schema: draft7, ...beside }, { a: "abc" }), []);
  assert.equal(
    issues({ $schema: "https://json-schema.org/draft/2020-12/schema", ...beside }, { a: "abc" })
      .length,
    1,
  );
  assert.equal(issues({ prefixItems: [{ type: "string" }], items: false }, ["a", 1]).length, 1);
});

test("a property with the name pattern is not a pattern", () => {
  const schema = {
    type: "object",
    properties: { pattern: { type: "string" }, not: { type: "integer" } },
    required: ["pattern"],
  };
  assert.deepEqual(issues(schema, { pattern: "(a+)+$", not: 1 }), []);
});

test("patterns are enforced, also patterns that are valid only in older syntax", () => {
  assert.equal(issues({ pattern: "^[a-z]+$" }, "aB").length, 1);
  assert.equal(issues({ pattern: "^a\\_b$" }, "a_c")[0]?.keyword, "pattern");
  assert.deepEqual(issues({ pattern: "^a\\_b$" }, "a_b"), []);
  assert.deepEqual(issues({ pattern: "^a\\_b$" }, 5), []);
});

const hanging = [
  "^(a+)+$",
  "^(a|aa)*$",
  "(?:a*)*b",
  "^(\\w+\\s?)*$",
  "(a)\\1*(\\1a)*$",
  "^a*a*a*a*a*a*a*b$",
  "^(a{1,30}){1,30}$",
  "^((a?){1,9}){1,9}$",
];

test("without an engine, a pattern that could hang is not enforced, and the notes report it", () => {
  for (const pattern of hanging) {
    const compiled = compileSchema({ properties: { a: { pattern } } });
    assert.ok(compiled.status === "compiled");
    assert.match(compiled.notes[0] ?? "", /^At \/properties\/a\/pattern: .*enforced/, pattern);
    const start = performance.now();
    assert.deepEqual(compiled.validator.validate({ a: `${"a".repeat(5000)}!` }), [], pattern);
    assert.ok(performance.now() - start < 10_000, pattern);
  }
});

test("quadratic patterns are enforced on short texts, and cannot hang on long ones", () => {
  const pattern = "^.*,.*$";
  assert.equal(issues({ pattern }, "no comma").length, 1);
  const start = performance.now();
  issues({ pattern: "a*b" }, "a".repeat(1_000_000));
  issues({ pattern }, "a".repeat(1_000_000));
  assert.ok(performance.now() - start < 10_000);
});

test("an engine enforces patterns that could hang", () => {
  const asked: string[] = [];
  const engine: PatternEngine = (source) => {
    asked.push(source);
    return source.includes("\\1") ? undefined : (text) => /^a+$/.test(text);
  };
  const schema = {
    properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "^b$" }, c: { pattern: "(c)\\1" } },
  };
  assert.deepEqual(
    issues(schema, { a: "aab", b: "c", c: "x" }, engine).map(({ path }) => path),
    ["/b", "/a"].toSorted(),
  );
  assert.deepEqual(asked, ["^(a+)+$", "(c)\\1"]);
  const compiled = compileSchema(schema, { pattern: engine });
  assert.equal(compiled.status === "compiled" && compiled.notes.length, 1);
});

test("a pattern that is left out never makes a schema stricter", () => {
  const pattern = "^(a+)+$";
  const schemas: readonly JsonSchema[] = [
    { not: { pattern } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { pattern }, then: false },
    { oneOf: [{ pattern }, { type: "string" }] },
    { not: { $ref: "#/$defs/a" }, $defs: { a: { pattern } } },
  ];
  for (const schema of schemas) assert.deepEqual(issues(schema, "b!"), [], JSON.stringify(schema));
  const keys = {
    patternProperties: { [pattern]: { type: "string" } },
    additionalProperties: false,
  };
  assert.deepEqual(issues(keys, { aaa: "x" }), []);
  assert.deepEqual(
    issues(
      { ...keys, additionalProperties: undefined, unevaluatedProperties: false },
      { aaa: "x" },
    ),
    [],
  );
});

test("a reference cannot target a pattern within a value, because such patterns are not made safe", () => {
  for (const keyword of ["default", "const", "examples"]) {
    assert.match(
      refusal({ properties: { a: { $ref: `#/${keyword}` } }, [keyword]: { pattern: "^(a+)+$" } }),
      /has no target/,
    );
  }
  assert.deepEqual(
    issues({ properties: { a: { $ref: "#/$defs/default" } }, $defs: { default: {} } }, { a: 1 }),
    [],
  );
});

test("schemas with the same content are compiled once", () => {
  const one = compileSchema({ type: "object", title: "same", properties: { a: {}, b: {} } });
  assert.equal(compileSchema({ properties: { b: {}, a: {} }, title: "same", type: "object" }), one);
});
