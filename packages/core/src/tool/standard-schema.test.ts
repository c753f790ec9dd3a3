import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { executorWith, reads } from "../testing/executor-with.ts";
import { defineTool, type StandardSchema } from "./define-tool.ts";

interface Range {
  readonly from: number;
  readonly to?: number;
}

/** Built as in libraries other than Zod: an object with a method, or a function with a method. */
const properties: StandardSchema<Range, Required<Range>>["~standard"] = {
  version: 1,
  vendor: "other",
  validate: (value) => {
    const { from, to = from + 1 } = value as Range;
    return to > from
      ? { value: { from, to } }
      : { issues: [{ message: "must be after from", path: [{ key: "to" }] }] };
  },
  jsonSchema: {
    input: ({ target }) => ({
      $schema: `https://json-schema.org/${target}`,
      type: "object",
      properties: { from: { type: "integer" }, to: { type: "integer" } },
      required: ["from"],
    }),
  },
};
const shapes: { readonly [shape: string]: StandardSchema<Range, Required<Range>> } = {
  object: { "~standard": properties },
  function: Object.assign(() => {}, { "~standard": properties }),
  asynchronous: {
    "~standard": { ...properties, validate: async (value) => properties.validate(value) },
  },
};

// Contract: executor-4, executor-18
test("a Standard Schema with JSON Schema output defines the parameters, repairs, checks and defaults", async () => {
  for (const [shape, parameters] of Object.entries(shapes)) {
    const seen: Required<Range>[] = [];
    const tool = defineTool({
      ...reads,
      name: "T",
      parameters,
      execute: (args) => (seen.push(args), args.to),
    });
    assert.deepEqual(Object.keys(tool.definition.function.parameters ?? {}), [
      "type",
      "properties",
      "required",
    ]);
    const executor = executorWith([tool]);
    assert.equal((await executor.execute("T", { from: "1" })).status, "success", shape);
    assert.deepEqual(seen, [{ from: 1, to: 2 }], shape);
    const refused = await executor.execute("T", { from: 5, to: 3 });
    assert.match(
      refused.status === "error" ? refused.finalText : "",
      /- to: must be after from\nCorrect them/,
      shape,
    );
    const invalid = await executor.execute("T", { to: 3 });
    assert.match(invalid.status === "error" ? invalid.finalText : "", /\/from is required/, shape);
    assert.equal(seen.length, 1, shape);
  }
});

// Contract: executor-4
test("Zod's defaults, transforms and refinements apply", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    ...reads,
    name: "T",
    parameters: z.object({
      town: z.string().trim().min(1),
      days: z.number().int().default(3),
      unit: z.enum(["C", "F"]).optional(),
    }),
    execute: (args) => seen.push(args),
  });
  const executor = executorWith([tool]);
  assert.deepEqual(tool.definition.function.parameters?.["required"], ["town"]);
  await executor.execute("T", { town: " Bergen " });
  assert.deepEqual(seen, [{ town: "Bergen", days: 3 }]);
  const refused = await executor.execute("T", { town: " " });
  assert.match(refused.status === "error" ? refused.finalText : "", /- town: /);
  assert.equal(seen.length, 1);
});

// Contract: executor-4
test("a schema without JSON Schema output is rejected by the tool's name, with advice", () => {
  const { jsonSchema: _none, ...without } = properties;
  const bare = { "~standard": without } as unknown as StandardSchema;
  assert.throws(
    () => defineTool({ name: "T", description: "", parameters: bare, execute: () => 1 }),
    {
      code: "invalid_tool",
      message: /"T" are a schema of other without a JSON Schema/,
    },
  );
  const date = z.object({ at: z.date() });
  assert.throws(
    () => defineTool({ name: "T", description: "", parameters: date, execute: () => 1 }),
    {
      code: "invalid_tool",
      message: /"T" cannot be converted to JSON Schema: .*[Dd]ate/,
    },
  );
});
