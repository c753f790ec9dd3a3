import assert from "node:assert/strict";
import { test } from "node:test";
import {
  parseArguments,
  type PreparedArguments,
  prepareArguments,
} from "../src/arguments/prepare-arguments.ts";
import { defineTool, defineToolGroup } from "../src/tool/define-tool.ts";
import { ToolExecutor } from "../src/call/tool-executor.ts";
import type { JsonSchema, JsonValue } from "../src/base/json.ts";
import { loadSchemaChecks } from "../src/arguments/schema-checks.ts";

await loadSchemaChecks();

/** Much longer than any of these tests takes, and much shorter than non-linear time. */
const limitMs = 30_000;

/** Processor time, so that other processes do not affect the result. */
function timed<T>(run: () => T): T {
  const start = process.cpuUsage();
  const result = run();
  const took = process.cpuUsage(start).user / 1000;
  assert.ok(took < limitMs, `took ${Math.round(took)} ms`);
  return result;
}

function prepare(schema: JsonSchema, v: JsonValue): PreparedArguments {
  return timed(() => prepareArguments({ v }, { type: "object", properties: { v: schema } }));
}

const many = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
const keys = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1]));

const cases: readonly {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: () => JsonValue;
  readonly status: PreparedArguments["status"];
}[] = [
  {
    name: "a list of wrong items",
    schema: { type: "array", items: { type: "boolean" } },
    value: () => many(1_000_000, "x"),
    status: "invalid",
  },
  {
    name: "a list of numbers as text",
    schema: { type: "array", items: { type: "integer" } },
    value: () => many(90_000, "5"),
    status: "valid",
  },
  {
    name: "a list as text",
    schema: { type: "array", items: { type: "integer" } },
    value: () => JSON.stringify(many(1_900_000, 1)),
    status: "valid",
  },
  {
    name: "a list that is too long to check",
    schema: { type: "array", items: { type: "integer" } },
    value: () => many(2_100_000, 1),
    status: "invalid",
  },
  {
    name: "a list of equal items that should differ",
    schema: { type: "array", uniqueItems: true },
    value: () => many(1_000_000, 1),
    status: "invalid",
  },
  {
    name: "unknown keys",
    schema: { type: "object", additionalProperties: false },
    value: () => keys,
    status: "invalid",
  },
  {
    name: "unevaluated keys",
    schema: { type: "object", unevaluatedProperties: false },
    value: () => keys,
    status: "invalid",
  },
  {
    name: "long text that is too long",
    schema: { type: "string", maxLength: 3 },
    value: () => `a${"\u0300".repeat(5_000_000)}`,
    status: "invalid",
  },
  {
    name: "text that is not closed",
    schema: { type: "array" },
    value: () => "[".repeat(10_000_000),
    status: "invalid",
  },
  {
    name: "a number of ten million digits",
    schema: { type: "number" },
    value: () => "9".repeat(10_000_000),
    status: "invalid",
  },
];

for (const { name, schema, value, status } of cases) {
  test(`large: ${name}`, () => {
    const prepared = prepare(schema, value());
    assert.equal(prepared.status, status);
    const text = prepared.status === "valid" ? prepared.repairs.join("\n") : prepared.error.message;
    assert.ok(text.length < 3_000, `${text.length} characters are too many`);
  });
}

test("10 MB pass the gate, as text and as an object", async () => {
  const lengths: number[] = [];
  const tool = defineTool({
    name: "Take",
    description: "Takes text.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    permission: { executionPolicy: "auto" },
    execute: (args: { text: string }) => lengths.push(args.text.length),
  });
  const executor = new ToolExecutor();
  executor.registerToolGroup(defineToolGroup({ name: "large", tools: [tool] }));
  executor.toggleGroupEnabled("large", true);
  const text = "text, ".repeat(1_700_000);
  const start = process.cpuUsage();
  assert.equal((await executor.execute("Take", { text })).status, "success");
  assert.equal((await executor.execute("Take", JSON.stringify({ text }))).status, "success");
  assert.ok(process.cpuUsage(start).user / 1000 < limitMs);
  assert.deepEqual(lengths, [text.length, text.length]);
});

test("10 MB of broken JSON are rejected with a short message", () => {
  for (const text of ["{".repeat(1e7), `{"a":"${"x".repeat(1e7)}`, `{"a":${"[".repeat(1e7)}`]) {
    const parsed = timed(() => parseArguments(text));
    assert.equal(parsed.status, "failed");
    assert.ok(parsed.status === "failed" && parsed.error.message.length < 500);
  }
});
