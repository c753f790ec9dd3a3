import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonSchema } from "../base/json.ts";
import { defineToolGroup } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { ToolExecutor, type ToolExecutorOptions } from "./tool-executor.ts";

function executorWith(
  schemas: { readonly [name: string]: JsonSchema },
  options: ToolExecutorOptions = {},
): { executor: ToolExecutor; ran: JsonObject[] } {
  const ran: JsonObject[] = [];
  // Unvalidated schemas, as tool sources provide them.
  const tools = Object.entries(schemas).map(([name, parameters]): Tool => ({
    definition: { type: "function", function: { name, description: name, parameters } },
    permission: { executionPolicy: "auto" },
    execute: (args) => {
      ran.push(args as JsonObject);
      return "done";
    },
  }));
  const executor = new ToolExecutor(options);
  executor.registerToolGroup(defineToolGroup({ name: "odd", tools }));
  executor.toggleGroupEnabled("odd", true);
  return { executor, ran };
}

const unusable: { readonly [name: string]: { readonly schema: unknown; readonly why: RegExp } } = {
  UnknownType: { schema: { properties: { a: { type: "strin" } } }, why: /\/properties\/a\/type/ },
  NoSchema: { schema: "object", why: /but this is text/ },
  AList: { schema: [{ type: "object" }], why: /but this is a list/ },
  Dangling: { schema: { properties: { a: { $ref: "#/$defs/none" } } }, why: /has no target/ },
  Fetched: {
    schema: { $ref: "https://example.org/a.json" },
    why: /other documents are not fetched/,
  },
  NoPattern: { schema: { properties: { a: { pattern: "(" } } }, why: /not a regular expression/ },
  Huge: { schema: { description: "x".repeat(1_000_001) }, why: /1000000 characters/ },
  Deep: { schema: deep(300), why: /deeper than 200 levels/ },
  Circular: { schema: circular(), why: /refers to itself/ },
};

// Contract: executor-3, executor-82, executor-84
test("a tool with an unusable schema is not offered, and its calls say why", async () => {
  const schemas = Object.entries(unusable).map(([name, { schema }]) => [name, schema] as const);
  const { executor, ran } = executorWith({
    ...(Object.fromEntries(schemas) as { [name: string]: JsonSchema }),
    Fine: { type: "object" },
  });
  assert.deepEqual(
    executor.getEnabledToolDefinitions().map((definition) => definition.function.name),
    ["Fine"],
  );
  const problems = new Map(executor.schemaProblems().map((problem) => [problem.toolId, problem]));
  for (const [name, { why }] of Object.entries(unusable)) {
    assert.equal(problems.get(`odd.${name}`)?.status, "refused", name);
    const result = await executor.execute(name, {});
    assert.equal(result.status, "error", name);
    assert.equal(result.status === "error" && result.error.code, "invalid_schema", name);
    assert.match(result.status === "error" ? result.error.message : "", why, name);
  }
  assert.equal(problems.size, schemas.length);
  assert.deepEqual(ran, []);
});

test("a schema of 200 levels is enforced on values of that depth, and a schema of 201 levels is rejected", async () => {
  const keywords: readonly ((inner: unknown) => unknown)[] = [
    (inner) => ({ items: inner }),
    (inner) => ({ not: inner }),
    (inner) => ({ additionalProperties: inner }),
    (inner) => ({ contains: inner, unevaluatedItems: false }),
  ];
  for (const around of keywords) {
    let schema: unknown = { type: "string" };
    for (let level = 1; level < 200; level++) schema = around(schema);
    const { executor } = executorWith({
      Deepest: schema as JsonSchema,
      Deeper: around(schema) as JsonSchema,
    });
    assert.deepEqual(
      executor.schemaProblems().map(({ toolId, status }) => [toolId, status]),
      [["odd.Deeper", "refused"]],
    );
    for (const member of ["[", '{"a":'])
      for (const deep of [1, 199]) {
        const closing = member === "[" ? "]" : "}";
        const args = `{"a":${member.repeat(deep - 1)}5${closing.repeat(deep - 1)}}`;
        const result = await executor.execute("Deepest", args);
        assert.ok(["success", "error"].includes(result.status), args);
        if (result.status === "error") assert.equal(result.error.code, "invalid_arguments");
      }
  }
});

test("a recursive schema is offered, repaired and enforced; an endless one rejects each call", async () => {
  const { executor, ran } = executorWith({
    Tree: {
      type: "object",
      properties: { size: { type: "integer" }, child: { $ref: "#" } },
      additionalProperties: false,
    },
    Endless: { $ref: "#" },
    Ring: { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } },
  });
  assert.equal(
    (await executor.execute("Tree", '{"child":{"child":{"size":"5"}}}')).status,
    "success",
  );
  assert.deepEqual(ran, [{ child: { child: { size: 5 } } }]);
  const wrong = await executor.execute("Tree", { child: { sise: 1 } });
  assert.match(
    wrong.status === "error" ? wrong.error.message : "",
    /\/child\/sise .* did you mean size/,
  );
  for (const name of ["Endless", "Ring"]) {
    const result = await executor.execute(name, { a: 1 });
    assert.equal(result.status === "error" && result.error.code, "invalid_arguments", name);
  }
  assert.equal(ran.length, 1);
});

// Contract: executor-151
test("keys that could pollute a prototype reach the tool as own data, or are rejected", async () => {
  const { executor, ran } = executorWith({
    Open: { type: "object", properties: { n: { type: "integer" } } },
    Closed: { type: "object", properties: {}, additionalProperties: false },
  });
  const text =
    '{"n":"5","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
  assert.equal((await executor.execute("Open", text)).status, "success");
  const [args] = ran;
  assert.deepEqual(Object.keys(args ?? {}), ["n", "__proto__", "constructor", "toString"]);
  assert.equal(Object.getPrototypeOf(args), Object.prototype);
  assert.equal(args?.["n"], 5);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const result = await executor.execute("Closed", `{"${key}":{"polluted":1}}`);
    assert.match(
      result.status === "error" ? result.error.message : "",
      new RegExp(`/${key} is not`),
    );
  }
  assert.equal(ran.length, 1);
});

// Contract: executor-165
test("a schema's text is never evaluated as code", async () => {
  const evil = `"];globalThis.polluted=1;//\`\${globalThis.polluted=1}\u2028'\\`;
  const { executor } = executorWith({
    Evil: {
      type: "object",
      properties: { [evil]: { enum: [evil, { [evil]: 1 }], description: evil, title: evil } },
      required: [evil],
      patternProperties: { "^[\"'`]$": { const: evil } },
      dependentRequired: { [evil]: [evil] },
      additionalProperties: false,
    },
  });
  const result = await executor.execute("Evil", { [evil]: evil });
  assert.equal(result.status, "success");
  assert.equal((await executor.execute("Evil", { [evil]: "x" })).status, "error");
  assert.equal((globalThis as { polluted?: unknown }).polluted, undefined);
});

// Contract: executor-84, executor-166
test("dangerous patterns run on the given engine, or are reported without one", async () => {
  const schemas = { Match: { type: "object", properties: { a: { pattern: "^(a+)+$" } } } };
  const without = executorWith(schemas).executor;
  assert.deepEqual(
    without.schemaProblems().map(({ toolId, status }) => [toolId, status]),
    [["odd.Match", "not_enforced"]],
  );
  assert.equal((await without.execute("Match", { a: `${"a".repeat(10_000)}!` })).status, "success");
  const patternEngine = () => (text: string) => !text.includes("!");
  const { executor } = executorWith(schemas, { patternEngine });
  assert.deepEqual(executor.schemaProblems(), []);
  assert.equal((await executor.execute("Match", { a: "aa!" })).status, "error");
  assert.equal((await executor.execute("Match", { a: "aa" })).status, "success");
});

function deep(levels: number): JsonSchema {
  let schema: JsonSchema = {};
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}

function circular(): JsonSchema {
  const schema: { [key: string]: unknown } = { type: "object" };
  schema["properties"] = { self: schema };
  return schema;
}
