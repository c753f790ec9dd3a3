import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { loadSchemaChecks } from "../arguments/schema-checks.ts";
import { checkArguments } from "../call/propose/propose.ts";
import { closedSchema } from "./closed-schema.ts";
import { defineTool } from "./define-tool.ts";

await loadSchemaChecks();

async function check(parameters: z.ZodType, args: object) {
  const tool = defineTool({ name: "T", description: "", parameters, execute: () => 1 });
  const checked = await checkArguments(tool, args as never);
  return checked.status === "valid" ? checked.args : checked.error.message;
}

const plain = z.object({
  search: z.string().optional(),
  at: z.object({ x: z.number() }).optional(),
});

test("a property that the schema would drop is reported, with the likely or all names", async () => {
  assert.match(String(await check(plain, { serach: "a" })), /serach.*did you mean search\?/s);
  assert.match(String(await check(plain, { kind: "RULE" })), /kind.*known properties: search, at/s);
  assert.match(String(await check(plain, { at: { x: 1, z: 2 } })), /\/at\/z/);
  assert.deepEqual(await check(plain, { search: "a", at: { x: 1 } }), {
    search: "a",
    at: { x: 1 },
  });
});

test("a wrapper around the arguments is removed, even if all arguments are optional", async () => {
  assert.deepEqual(await check(plain, { arguments: { search: "a" } }), { search: "a" });
});

test("an object that allows other properties keeps them", async () => {
  const loose = z.looseObject({ a: z.number().optional() });
  const record = z.object({ all: z.record(z.string(), z.object({ x: z.number() })) });
  const both = z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() }));
  const either = z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]);
  assert.deepEqual(await check(loose, { b: 1 }), { b: 1 });
  assert.deepEqual(await check(record, { all: { k: { x: 1 } } }), { all: { k: { x: 1 } } });
  assert.match(String(await check(record, { all: { k: { x: 1, y: 2 } } })), /\/all\/k\/y/);
  assert.deepEqual(await check(both, { a: 1, b: 2 }), { a: 1, b: 2 });
  assert.deepEqual(await check(z.object({ of: either }), { of: { b: 1 } }), { of: { b: 1 } });
});

test("the definition that models get is unchanged", () => {
  const tool = defineTool({ name: "T", description: "", parameters: plain, execute: () => 1 });
  assert.ok(!JSON.stringify(tool.definition).includes("additionalProperties"));
  const schema = { type: "object", properties: { a: {} }, patternProperties: { "^x": {} } };
  assert.deepEqual(closedSchema(schema), schema);
});
