import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { compileSchema } from "../src/arguments/validator.ts";
import type { JsonSchema } from "../src/base/json.ts";
import { randomSchema, smallValue } from "./random-schema.ts";
import { loadSchemaChecks } from "../src/arguments/schema-checks.ts";

await loadSchemaChecks();

/** Returns Ajv's verdict, or `undefined` if its generated code throws, as it does on some `oneOf` within `not`. */
function verdict(validate: () => boolean): boolean | undefined {
  try {
    return validate();
  } catch {
    return undefined;
  }
}

/**
 * Returns an equivalent schema that Ajv judges correctly on lists without a matching item.
 *
 * Ajv accepts a list against `contains` in two wrong cases. Next to a tuple with an item that is
 * `false` it skips the check, so `contains` moves into a schema of its own within `allOf`. Within a
 * loop, for example under `additionalProperties`, it reuses the previous list's result for an empty
 * list, because the generated `var valid` outlives an iteration. `contains` requires at least one
 * item unless `minContains` is 0, so an additional `minItems: 1` rejects the same lists.
 */
function withContainsApart(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, node: unknown) => {
    if (typeof node !== "object" || node === null || !("contains" in node)) return node;
    const { contains, minContains, maxContains, allOf = [], ...rest } = node as JsonSchema;
    const minItems = containsNone(node) ? {} : { minItems: 1 };
    const apart = { contains, minContains, maxContains, ...minItems };
    return { ...rest, allOf: [...(allOf as readonly JsonSchema[]), apart] };
  }) as JsonSchema;
}

/**
 * Whether `contains` accepts a list without a matching item. Draft 7 ignores `minContains`, and its
 * random schemas have none.
 */
function containsNone(schema: object): boolean {
  return "minContains" in schema && schema.minContains === 0;
}

const cases = [
  { name: "draft 7", Draft: Ajv, schemas: randomSchema(7) },
  { name: "draft 2020-12", Draft: Ajv2020, schemas: randomSchema(2020) },
] as const;

const settings = { strict: false, ownProperties: true, logger: false } as const;

test("a list without a matching item fails `contains` unless `minContains` is 0, even if Ajv accepts it", () => {
  const contains = { minimum: 0 };
  const tuple = { prefixItems: [{ type: "number" }], contains };
  // JSON Schema 2020-12, core 10.3.1.3: an empty array fails `contains`, unless `minContains` is 0.
  const accepted = [
    { schema: { additionalProperties: { contains } }, value: { a: [1], b: [] } },
    { schema: { items: { contains } }, value: [[1], []] },
    { schema: tuple, value: [] },
    { schema: { prefixItems: [true, false], contains: false }, value: [null] },
  ];
  for (const { schema, value } of accepted) {
    const byAjv = new Ajv2020(settings).compile(schema);
    const byEquivalent = new Ajv2020(settings).compile(withContainsApart(schema));
    assert.equal(byAjv(value), true, "Ajv is fixed: remove withContainsApart");
    assert.equal(byEquivalent(value), false);
    assert.deepEqual(keywordsOf(schema, value), ["contains"]);
  }
  const optional = { additionalProperties: { contains, minContains: 0 } };
  assert.deepEqual(keywordsOf(optional, { a: [1], b: [] }), []);
});

/** Returns the keywords that a value fails. */
function keywordsOf(schema: JsonSchema, value: unknown): readonly (string | undefined)[] {
  const compiled = compileSchema(schema);
  assert.ok(compiled.status === "compiled");
  return compiled.validator.validate(value).map(({ keyword }) => keyword);
}

// Contract: executor-3
test("random schemas and values get the same verdict as from Ajv", async (t) => {
  for (const { name, schemas, Draft } of cases) {
    await t.test(name, () => {
      // One instance for all, because each compiles its draft's meta-schema. Its compiled schemas
      // are removed.
      const ajv = new Draft(settings);
      let agreed = 0;
      const verdicts = { valid: 0, invalid: 0 };
      fc.assert(
        fc.property(
          schemas,
          fc.array(smallValue, { minLength: 12, maxLength: 12 }),
          (schema, values) => {
            const validate = ajv.compile(withContainsApart(schema));
            ajv.removeSchema();
            const compiled = compileSchema(schema);
            assert.equal(compiled.status, "compiled", JSON.stringify(compiled));
            if (compiled.status !== "compiled") return;
            for (const value of values) {
              const expected = verdict(() => validate(value));
              if (expected === undefined) continue;
              const issues = compiled.validator.validate(value);
              assert.equal(
                issues.length === 0,
                expected,
                `${JSON.stringify({ schema, value })}: Ajv says ${expected}, here ${JSON.stringify(issues)}`,
              );
              agreed += 1;
              verdicts[expected ? "valid" : "invalid"] += 1;
            }
          },
        ),
        { numRuns: 120 },
      );
      assert.ok(agreed > 1_400);
      assert.ok(Math.min(verdicts.valid, verdicts.invalid) > 100, JSON.stringify(verdicts));
    });
  }
});
