import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup, type StandardSchema } from "./define-tool.ts";

// Contract: executor-2, executor-168
test("a name that providers reject is rejected with the rule", () => {
  assert.throws(
    () => defineTool({ name: "not a name", description: "", execute: () => 1 }),
    /a-zA-Z0-9_-/,
  );
});

// Contract: executor-2
test("two tools with the same name in a group are rejected", () => {
  const tool = defineTool({ name: "Same", description: "", execute: () => 1 });
  assert.throws(
    () => defineToolGroup({ name: "group", tools: [tool, tool] }),
    /two tools named "Same"/,
  );
});

// Contract: executor-1, plugins-1
test("JSON Schema parameters are used unchanged", () => {
  const parameters = { type: "object", properties: { a: { type: "number" } } } as const;
  const tool = defineTool({ name: "T", description: "d", parameters, execute: () => 1 });
  assert.deepEqual(tool.definition, {
    type: "function",
    function: { name: "T", description: "d", parameters },
  });
});

// Contract: executor-1
test("strict is part of the definition, and a tool without execute is a client's", () => {
  const strict = defineTool({ name: "T", description: "d", strict: true });
  assert.equal(strict.definition.function.strict, true);
  assert.equal("execute" in strict, false);
});

// Contract: executor-10
test("every callback gets the arguments with the schema's defaults", () => {
  const seen: unknown[] = [];
  const see = (args: unknown) => (seen.push(args), "x");
  const schema: StandardSchema<{ n?: number }, { n: number }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value: { n: 7, ...(value as object) } }),
      jsonSchema: { input: () => ({ type: "object" }) },
    },
  };
  const tool = defineTool({
    name: "T",
    description: "",
    parameters: schema,
    permission: {
      executionPolicy: (args) => (see(args), "auto"),
      grantScope: (args) => ({ key: see(args), title: "" }),
    },
    effects: { locks: (args) => [see(args)] },
    formatForLLM: (_data: string, args) => see(args),
    truncateForLLM: (_text, args) => see(args),
    compressArgs: see,
    execute: (args) => see(args),
  });
  const { permission, effects } = tool;
  if (typeof permission?.executionPolicy === "function") permission.executionPolicy({});
  permission?.grantScope?.({});
  if (typeof effects === "object") effects.locks({});
  tool.formatForLLM?.("", {});
  tool.compressArgs?.({});
  assert.deepEqual(
    seen,
    Array.from({ length: 5 }, () => ({ n: 7 })),
  );
  tool.truncateForLLM?.("", { limit: 3 });
  assert.deepEqual(seen.at(-1), { n: 7, limit: 3 });
});

test("a schema has no bounds that every whole number satisfies", () => {
  const parameters = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => ({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            n: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
            few: { type: "array", items: { type: "integer", minimum: 0, maximum: 9 } },
            kept: { default: { maximum: 9007199254740991 } },
          },
        }),
      },
    },
  };
  const { definition } = defineTool({
    name: "Count",
    description: "",
    parameters,
    execute: () => 1,
  });
  assert.deepEqual(definition.function.parameters, {
    type: "object",
    properties: {
      n: { type: "integer" },
      few: { type: "array", items: { type: "integer", minimum: 0, maximum: 9 } },
      kept: { default: { maximum: 9007199254740991 } },
    },
  });
});
