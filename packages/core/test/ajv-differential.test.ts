import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { compileSchema } from "../src/arguments/validator.ts";
import { randomSchema, smallValue } from "./random-schema.ts";

const settings = { strict: false, ownProperties: true, logger: false } as const;

for (const draft of [7, 2020] as const) {
  test(`random schemas and values come out as with Ajv, draft ${draft}`, () => {
    // One for all: each instance compiles its draft's meta-schema. What it compiled is forgotten.
    const ajv = draft === 7 ? new Ajv(settings) : new Ajv2020(settings);
    let agreed = 0;
    const verdicts = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(
        randomSchema(draft),
        fc.array(smallValue, { minLength: 12, maxLength: 12 }),
        (schema, values) => {
          const validate = ajv.compile(schema);
          ajv.removeSchema();
          const compiled = compileSchema(schema);
          assert.equal(compiled.status, "compiled", JSON.stringify(compiled));
          if (compiled.status !== "compiled") return;
          for (const value of values) {
            const expected = validate(value);
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
    assert.ok(agreed >= 1_440);
    assert.ok(Math.min(verdicts.valid, verdicts.invalid) > 200, JSON.stringify(verdicts));
  });
}
