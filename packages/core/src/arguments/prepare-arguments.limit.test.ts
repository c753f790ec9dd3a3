import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../base/json.ts";
import type { ToolDefinition } from "../model/model.ts";
import { extractLimit } from "./prepare-arguments.ts";

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

// Contract: executor-118, executor-203
test("a limit belongs to the tool if its schema has one, else to the executor, also for a strict tool", () => {
  const { args, limit } = extractLimit({ limit: 5 }, own);
  assert.deepEqual([args, limit], [{ limit: 5 }, undefined]);
  assert.deepEqual(extractLimit({ limit: 5 }, definition({ type: "object" }, true)), {
    args: {},
    limit: 5,
    repairs: [],
  });
});

// Contract: executor-117, executor-203
test("limit is removed from the arguments", () => {
  const args = { path: ".", limit: 100 };
  assert.deepEqual(extractLimit(args, plain), { args: { path: "." }, limit: 100, repairs: [] });
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
    const { args, limit, repairs } = extractLimit({ limit: given }, plain);
    assert.deepEqual([args, limit], [{}, taken]);
    assert.equal(repairs.length, taken === undefined ? 1 : 0, "a dropped limit is noted");
  }
  const without = { path: "." };
  assert.equal(extractLimit(without, plain).args, without);
});
