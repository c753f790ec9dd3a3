import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError, defineTool, type ToolGroup } from "@capstan/core";
import { createToolExecutor } from "./create-tool-executor.ts";

function group(name: string, ...tools: readonly string[]): ToolGroup {
  return {
    name,
    tools: tools.map((tool) =>
      defineTool({
        name: tool,
        description: tool,
        permission: { executionPolicy: "auto" },
        execute: () => `${name}.${tool}`,
      }),
    ),
  };
}

function offered(options: Parameters<typeof createToolExecutor>[0]): readonly string[] {
  return createToolExecutor(options)
    .getEnabledToolDefinitions()
    .map((tool) => tool.function.name);
}

const groups = [group("a", "One", "Two"), group("b", "One", "Three")];

test("groups come in order and are on where nothing else is said", () => {
  assert.deepEqual(offered({ groups }), ["One", "Two", "b_One", "Three"]);
  assert.deepEqual(offered({ groups: groups.toReversed() }), ["One", "Three", "a_One", "Two"]);
});

test("an installation's switches are where a session starts", () => {
  assert.deepEqual(offered({ groups, groupDefaults: { a: false } }), ["One", "Three"]);
  assert.deepEqual(offered({ groups, toolDefaults: { "b.One": false } }), ["One", "Two", "Three"]);
});

test("a tool that is switched off cannot be called, and on again it can", async () => {
  const executor = createToolExecutor({ groups, toolDefaults: { "a.Two": false } });
  assert.equal((await executor.execute("Two", {})).status, "not_found");
  executor.setToolEnabled("a.Two", true);
  assert.equal((await executor.execute("Two", {})).status, "success");
});

test("two groups of one name are refused", () => {
  assert.throws(
    () => createToolExecutor({ groups: [group("a", "One"), group("a", "Two")] }),
    (error) => CapstanError.isInstance(error) && error.code === "duplicate_tool_group",
  );
});
