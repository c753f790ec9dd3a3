import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../model/json.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import { offerLimit, takeLimit } from "./limit.ts";

function definition(parameters?: JsonSchema, strict?: boolean): ToolDefinition {
  return {
    type: "function",
    function: {
      name: "Tool",
      ...(parameters ? { parameters } : {}),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

const plain = definition({
  type: "object",
  properties: { path: { type: "string" } },
  additionalProperties: false,
});
const own = definition({ type: "object", allOf: [{ properties: { limit: { type: "integer" } } }] });

test("limit is offered beside the tool's own arguments, optional, and the definition stays as it was", () => {
  const offered = offerLimit(plain).function.parameters as {
    properties: { [key: string]: JsonSchema };
    required?: unknown;
  };
  assert.deepEqual(Object.keys(offered.properties), ["path", "limit"]);
  assert.equal(offered.properties["limit"]?.["type"], "integer");
  assert.equal(offered.required, undefined);
  assert.deepEqual(Object.keys(plain.function.parameters?.["properties"] as object), ["path"]);
  assert.equal(offerLimit(plain), offerLimit(plain));
  assert.deepEqual(Object.keys(offerLimit(definition()).function.parameters ?? {}), [
    "type",
    "properties",
  ]);
});

test("strict tools and those with a limit of their own are left alone", () => {
  for (const one of [definition({ type: "object" }, true), own]) {
    assert.equal(offerLimit(one), one);
    const { args, limit } = takeLimit({ limit: 5 }, one);
    assert.deepEqual([args, limit], [{ limit: 5 }, undefined]);
  }
});

test("limit is taken out of the arguments", () => {
  const args = { path: ".", limit: 100 };
  assert.deepEqual(takeLimit(args, plain), { args: { path: "." }, limit: 100, repairs: [] });
  assert.deepEqual(args, { path: ".", limit: 100 });
  for (const [given, taken] of [
    [0, 0],
    [-1, -1],
    ["50", 50],
    [9.7, 9],
    ["", undefined],
    [null, undefined],
    ["all", undefined],
  ] as const) {
    const { args, limit, repairs } = takeLimit({ limit: given }, plain);
    assert.deepEqual([args, limit], [{}, taken]);
    assert.equal(repairs.length, taken === undefined ? 1 : 0, "what is dropped is noted");
  }
  const without = { path: "." };
  assert.equal(takeLimit(without, plain).args, without);
});
