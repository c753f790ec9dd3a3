import assert from "node:assert/strict";
import { test } from "node:test";

import { defineTool } from "./define-tool.ts";
import { defineToolGroup } from "./define-tool-group.ts";

test("a name that no provider takes is refused with the rule", () => {
  assert.throws(
    () => defineTool({ name: "not a name", description: "", execute: () => 1 }),
    /a-zA-Z0-9_-/,
  );
});

test("two tools of one name in a group are refused", () => {
  const tool = defineTool({ name: "Same", description: "", execute: () => 1 });
  assert.throws(
    () => defineToolGroup({ name: "group", tools: [tool, tool] }),
    /two tools named "Same"/,
  );
});

test("JSON Schema parameters are taken as they are", () => {
  const parameters = { type: "object", properties: { a: { type: "number" } } } as const;
  const tool = defineTool({ name: "T", description: "d", parameters, execute: () => 1 });
  assert.deepEqual(tool.definition, {
    type: "function",
    function: { name: "T", description: "d", parameters },
  });
});
