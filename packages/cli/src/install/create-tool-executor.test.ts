import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError, defineTool, type ToolGroup } from "@capstan/core";
import { builtInGroups } from "./built-in-groups.ts";
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

// Contract: executor-30, executor-136
test("groups keep their order and are enabled by default", () => {
  assert.deepEqual(offered({ groups }), ["One", "Two", "b_One", "Three"]);
  assert.deepEqual(offered({ groups: groups.toReversed() }), ["One", "Three", "a_One", "Two"]);
});

// Contract: executor-137, executor-138
test("a session starts with the installation's switches", () => {
  assert.deepEqual(offered({ groups, groupDefaults: { a: false } }), ["One", "Three"]);
  assert.deepEqual(offered({ groups, toolDefaults: { "b.One": false } }), ["One", "Two", "Three"]);
});

// Contract: executor-138
test("a disabled tool cannot be called, and can be called again when it is enabled", async () => {
  const executor = createToolExecutor({ groups, toolDefaults: { "a.Two": false } });
  assert.equal((await executor.execute("Two", {})).status, "not_found");
  executor.setToolEnabled("a.Two", true);
  assert.equal((await executor.execute("Two", {})).status, "success");
});

// Contract: executor-141
test("two groups with the same name are rejected", () => {
  assert.throws(
    () => createToolExecutor({ groups: [group("a", "One"), group("a", "Two")] }),
    (error) => CapstanError.isInstance(error) && error.code === "duplicate_tool_group",
  );
});

// Contract: executor-136
test("the shipped groups have a fixed order and are all enabled", () => {
  const shipped = createToolExecutor({ groups: builtInGroups({ roots: [import.meta.dirname] }) });
  assert.deepEqual(
    shipped.groups().map(({ name }) => name),
    ["vars", "todo", "basic", "web", "files", "knowledge", "retrieval", "media", "data", "charts"],
  );
  assert.ok(shipped.groups().every(({ name }) => shipped.isGroupEnabled(name)));
  assert.deepEqual(shipped.schemaProblems(), []);
  assert.ok(shipped.toolRules().includes("<tool-rules>"));
});

// Contract: executor-53, executor-135, executor-140
test("each session has its own variables, grants and approval adapter", async () => {
  const asking: ToolGroup = {
    name: "a",
    tools: [defineTool({ name: "Ask", description: "", execute: () => "ran" })],
  };
  let asked = 0;
  const approvals = {
    request: () => (asked++, { decision: "allow", scope: "session" } as const),
  };
  const first = createToolExecutor({ groups: [asking], approvals });
  const second = createToolExecutor({ groups: [asking], approvals });
  for (const executor of [first, first, second])
    assert.equal((await executor.execute("Ask", {})).status, "success");
  assert.equal(asked, 2);
  assert.ok(first.variables.getVariable("Ask_2"));
  assert.equal(second.variables.getVariable("Ask_2"), undefined);
  const nobody = createToolExecutor({ groups: [asking] });
  assert.equal((await nobody.execute("Ask", {})).status, "execution_rejected");
});

// Contract: executor-139
test("switches of tools that are no longer installed have no effect", () => {
  const groupDefaults = { gone: false };
  const toolDefaults = { "gone.Tool": false, "a.Gone": false };
  assert.equal(offered({ groups, groupDefaults, toolDefaults }).length, 4);
});
