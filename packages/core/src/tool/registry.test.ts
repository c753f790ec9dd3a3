import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool, ToolGroup } from "./tool.ts";
import type { ToolsChange } from "./registry.ts";

const fine = defineTool({ ...reads, name: "Fine", execute: () => "fine" });
const other = defineTool({ ...reads, name: "Other", execute: () => "other" });
const groupOf = (...tools: readonly unknown[]): ToolGroup => ({
  name: "group",
  title: "A group",
  tools: tools as readonly Tool[],
});

const broken: { readonly [what: string]: readonly [tool: unknown, why: RegExp] } = {
  "no definition": [{}, /"group\.undefined" cannot be registered: its name/],
  "a name that providers reject": [
    { ...other, definition: { type: "function", function: { name: "a b" } } },
    /"group\.a b".*its name/,
  ],
  "a broken return schema": [
    { ...other, declaredReturnType: { type: "x", schema: { type: 5 } } },
    /return type is invalid/,
  ],
  "an unknown policy": [{ ...other, permission: { executionPolicy: "never" } }, /executionPolicy/],
  "an unknown review": [{ ...other, permission: { resultApprovalPolicy: "auto" } }, /resultAppr/],
  "unknown effects": [{ ...other, effects: "none" }, /effects/],
  "no time": [{ ...other, timeoutMs: 0 }, /timeoutMs/],
  "half a call in parallel": [{ ...other, maxConcurrent: 0.5 }, /maxConcurrent/],
  "retries of a tool that is not idempotent": [
    { ...other, effects: "write", retry: { attempts: 3 } },
    /neither declares effects: "read" nor idempotent/,
  ],
  "endless retries": [{ ...other, retry: { attempts: Infinity } }, /retry\.attempts/],
  "an execute that is not a function": [{ ...other, execute: "x" }, /execute/],
  "an invalid formatter": [{ ...other, formatForLLM: "json" }, /formatForLLM is not a function/],
  "an invalid check": [{ ...other, check: true }, /check is not a function/],
  "an invalid limit": [{ ...other, DEFAULT_OUTPUT_LIMIT_CHAR: NaN }, /DEFAULT_OUTPUT_LIMIT_CHAR/],
  "a limit of half a token": [{ ...other, DEFAULT_OUTPUT_LIMIT_TOKENS: 0.5 }, /LIMIT_TOKENS/],
};

// Contract: executor-23, executor-72, executor-171
test("a broken tool is rejected by name, and no tool of its group is added", async (t) => {
  for (const [what, [tool, why]] of Object.entries(broken)) {
    await t.test(what, () => {
      const executor = new ToolExecutor();
      assert.throws(() => executor.registerToolGroup(groupOf(fine, tool)), {
        code: "invalid_tool",
        message: why,
      });
      assert.deepEqual(executor.groups(), []);
      assert.equal(executor.getTool("Fine"), undefined);
    });
  }
});

// Contract: executor-28, executor-181
test("a broken group is rejected, and nothing of it is added", () => {
  const rules = (declareSkillRules: unknown) => ({ ...groupOf(fine), declareSkillRules });
  const groups: readonly (readonly [group: unknown, why: RegExp])[] = [
    [{ ...groupOf(fine), name: "Files & folders" }, /does not match .*"title"/],
    [{ name: "group" }, /has no list of tools/],
    [{ ...groupOf(fine), rulePrompt: ["Be careful."] }, /neither text nor a function/],
    [rules({ how: "Do it well." }), /skill rule "how" of "group" needs desc and prompt/],
    [rules({ how: null }), /needs desc and prompt/],
    [rules({ "a}}b": { desc: "d", prompt: "p" } }), /"a\}\}b" .* must not contain `\}\}`/],
  ];
  for (const [group, why] of groups) {
    const executor = new ToolExecutor();
    assert.throws(() => executor.registerToolGroup(group as ToolGroup), {
      code: "invalid_tool_group",
      message: why,
    });
    assert.deepEqual(executor.groups(), []);
    assert.equal(executor.variables.peekVariable("Rule/group/how"), undefined);
  }
});

// Contract: executor-30, executor-182
test("an empty group can be registered, and offers no tools", () => {
  const executor = new ToolExecutor();
  executor.registerToolGroup(groupOf());
  executor.toggleGroupEnabled("group", true);
  assert.equal(executor.groups().length, 1);
  assert.deepEqual(executor.getEnabledToolDefinitions(), []);
});

// Contract: executor-74, executor-191, plugins-14
test("registering a group name twice is rejected, and the error names both groups", () => {
  const executor = new ToolExecutor();
  executor.registerToolGroup({ ...groupOf(fine), title: "The first" });
  assert.throws(() => executor.registerToolGroup({ ...groupOf(), title: "The second" }), {
    code: "duplicate_tool_group",
    message: /by "The first", and now by "The second"/,
  });
  assert.throws(() => executor.registerToolGroup({ name: "twice", tools: [fine, fine] }), {
    code: "invalid_tool_group",
    message: /two tools named "Fine"/,
  });
});

// Contract: executor-33
test("a function can create a group when it is registered", async () => {
  const executor = new ToolExecutor();
  executor.registerToolGroup(() => groupOf(fine));
  executor.toggleGroupEnabled("group", true);
  assert.equal((await executor.execute("Fine", {})).status, "success");
});

// Contract: executor-76, executor-194, executor-195, executor-200
test("an unregistered group loses its tools and rules; running calls end normally", async () => {
  const gate = Promise.withResolvers<string>();
  const slow = defineTool({ ...reads, name: "Slow", execute: () => gate.promise });
  const rule = { desc: "How", prompt: "Do it well." };
  const executor = new ToolExecutor();
  const group = { ...groupOf(fine, slow), declareSkillRules: { how: rule } };
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled("group", true);
  const running = executor.execute("Slow", {});
  assert.match(executor.toolRules(), /Rule\/group\/how/);

  assert.equal(executor.unregisterToolGroup("group"), true);
  assert.equal(executor.unregisterToolGroup("group"), false);
  assert.equal((await executor.execute("Fine", {})).status, "not_found");
  assert.equal(executor.variables.peekVariable("Rule/group/how"), undefined);
  assert.equal(executor.isGroupEnabled("group"), false);
  gate.resolve("done");
  assert.equal((await running).status, "success");

  executor.registerToolGroup(group);
  assert.equal(executor.isGroupEnabled("group"), true, "its switch was kept");
});

// Contract: executor-52, executor-77, executor-192, executor-194
test("changes are announced, and a listener that throws does not undo them", () => {
  const executor = new ToolExecutor();
  const changes: ToolsChange[] = [];
  executor.subscribe(() => {
    throw new Error("not interested");
  });
  const stop = executor.subscribe((change) => changes.push(change));
  executor.registerToolGroup(groupOf(fine));
  executor.toggleGroupEnabled("group");
  executor.setToolEnabled("Fine", false);
  executor.unregisterToolGroup("group");
  stop();
  executor.registerToolGroup(groupOf(fine));
  assert.deepEqual(changes, [
    { type: "group.registered", group: "group" },
    { type: "group.switched", group: "group", enabled: true },
    { type: "tool.switched", toolId: "group.Fine", enabled: false },
    { type: "group.unregistered", group: "group" },
  ]);
});
