import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import fc from "fast-check";
import { createTestApp } from "../testing/app-fixtures.ts";

/** Values that are invalid for many fields. */
const odd = fc.constantFrom<unknown>(
  null,
  "",
  0,
  [],
  {},
  "x",
  [null],
  { type: "exec" },
  ["a", 1],
  "constructor",
  "__proto__",
  { type: "delete_file" },
  [{ stdout: 1 }],
  [{ type: "function", name: "Pay" }],
);

const members = [
  "id",
  "call_id",
  "name",
  "namespace",
  "status",
  "action",
  "operation",
  "arguments",
  "input",
  "output",
  "execution",
  "environment",
  "tools",
] as const;

const item = fc
  .record({
    type: fc.constantFrom(
      ...["local_shell", "shell", "apply_patch", "tool_search", "custom_tool"].flatMap((type) => [
        `${type}_call`,
        `${type}_call_output`,
      ]),
      "tool_search_output",
      "additional_tools",
      "function_call",
    ),
    members: fc.dictionary(fc.constantFrom(...members), odd),
  })
  .map(({ type, members: given }) => ({ call_id: "c", ...given, type }));

const tool = fc
  .record({
    type: fc.constantFrom(
      "local_shell",
      "shell",
      "apply_patch",
      "tool_search",
      "namespace",
      "custom",
    ),
    members: fc.dictionary(
      fc.constantFrom("name", "tools", "format", "environment", "execution", "parameters"),
      fc.oneof(odd, fc.constantFrom<unknown>("client", "n", { type: "local", skills: [null] })),
    ),
  })
  .map(({ type, members: given }) => ({ name: "n", ...given, type }));

// Contract: responses-15
test("no tools or items of clients cause a server error", async () => {
  const steps = Array.from({ length: 1_000 }, () => "Done.");
  const { call } = createTestApp({ model: new ScriptedModel(steps) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 4 }),
      fc.array(tool, { maxLength: 2 }),
      async (items, tools) => {
        const input = [...items, { role: "user", content: "Go on." }];
        const { status, body } = await call("POST", "/v1/responses", { input, tools });
        assert.ok(status === 200 || status === 400, JSON.stringify({ status, body }));
        if (status === 400) return assert.notEqual(body.error?.param, "");
        assert.notEqual(body.status, "failed", JSON.stringify(body.error));
        const listed = await call("GET", `/v1/responses/${body.id}/input_items?limit=100`);
        assert.equal(listed.body.data.length, input.length);
      },
    ),
    { numRuns: 300 },
  );
});
