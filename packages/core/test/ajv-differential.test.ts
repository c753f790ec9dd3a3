import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { compileSchema } from "../src/arguments/validator.ts";
import { randomSchema, smallValue } from "./random-schema.ts";

/** None where Ajv's own code fails, as it does on some `oneOf` within `not`. */
function verdict(validate: () => boolean): boolean | undefined {
  try {
    return validate();
  } catch {
    return undefined;
  }
}

const cases = [
  { name: "draft 7", Draft: Ajv, schemas: randomSchema(7) },
  { name: "draft 2020-12", Draft: Ajv2020, schemas: randomSchema(2020) },
] as const;

const settings = { strict: false, ownProperties: true, logger: false } as const;

test("random schemas and values come out as with Ajv", async (t) => {
  for (const { name, schemas, Draft } of cases) {
    await t.test(name, () => {
      // One for all: each instance compiles its draft's meta-schema. What it compiled is forgotten.
      const ajv = new Draft(settings);
      let agreed = 0;
      const verdicts = { valid: 0, invalid: 0 };
      fc.assert(
        fc.property(
          schemas,
          fc.array(smallValue, { minLength: 12, maxLength: 12 }),
          (schema, values) => {
            const validate = ajv.compile(schema);
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
