import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolsChange } from "./registry.ts";

function executorOff(): ToolExecutor {
  const executor = new ToolExecutor();
  const tools = ["One", "Two"].map((name) => defineTool({ ...reads, name, execute: () => name }));
  executor.registerToolGroup({ name: "a", tools });
  return executor;
}

const statusOf = async (executor: ToolExecutor, name: string) =>
  (await executor.execute(name, {})).status;

// Contract: executor-52, executor-72, executor-80, executor-204
test("a group is off until it is enabled, its tools are on until disabled", async () => {
  const executor = executorOff();
  assert.deepEqual([executor.isGroupEnabled("a"), executor.isToolEnabled("One")], [false, true]);
  assert.equal(await statusOf(executor, "One"), "not_found");
  assert.equal(executor.toggleGroupEnabled("a", true), true);
  assert.equal(await statusOf(executor, "One"), "success");
  assert.equal(executor.setToolEnabled("One", false), true);
  assert.equal(await statusOf(executor, "One"), "not_found");
  assert.equal(await statusOf(executor, "a.One"), "not_found");
  assert.equal(await statusOf(executor, "Two"), "success");
});

// Contract: executor-79
test("without a value a group's switch is flipped", () => {
  const executor = executorOff();
  executor.toggleGroupEnabled("a");
  assert.equal(executor.isGroupEnabled("a"), true);
  executor.toggleGroupEnabled("a");
  assert.equal(executor.isGroupEnabled("a"), false);
});

// Contract: executor-38, executor-238
test("a call of a disabled tool does not run, and its error names the reason", async () => {
  const executor = executorOff();
  const result = await executor.execute("One", {});
  assert.equal(result.status === "not_found" && result.error.code, "tool_disabled");
  assert.match(result.status === "not_found" ? result.finalText : "", /"One" is switched off here/);
});

// Contract: executor-78, executor-79, executor-80, executor-198
test("unregistered names are disabled, and switching them neither changes nor announces anything", () => {
  const executor = executorOff();
  const changes: ToolsChange[] = [];
  executor.subscribe((change) => changes.push(change));
  assert.equal(executor.isGroupEnabled("nobody"), false);
  assert.equal(executor.isToolEnabled("Nobody"), false);
  assert.equal(executor.toggleGroupEnabled("nobody", true), false);
  assert.equal(executor.setToolEnabled("Nobody", true), false);
  assert.equal(executor.setToolEnabled("a.Nobody", true), false);
  assert.deepEqual(changes, []);
  assert.deepEqual(executor.gate.switches.state(), { groups: {}, tools: {} });
});

// Contract: executor-51, executor-73, executor-81
test("a tool is found by its id or its bare name; a group lists its tools", () => {
  const executor = executorOff();
  assert.equal(executor.getTool("a.One"), executor.getTool("One"));
  assert.equal(executor.getTool("Nobody"), undefined);
  assert.deepEqual(
    executor.groups().map(({ name, tools }) => [name, tools.length]),
    [["a", 2]],
  );
  assert.deepEqual(executor.enabledTools(), []);
  executor.toggleGroupEnabled("a", true);
  executor.setToolEnabled("Two", false);
  assert.deepEqual(
    executor.enabledTools(["a"]).map(({ id }) => id),
    ["a.One"],
  );
  assert.deepEqual(executor.enabledTools(["b"]), []);
});

// Contract: executor-38, executor-91, executor-186, executor-237
test("for an unknown name, the error suggests the nearest enabled names", async () => {
  const executor = executorOff();
  executor.toggleGroupEnabled("a", true);
  const off = defineTool({ ...reads, name: "Onn", execute: () => "" });
  executor.registerToolGroup({ name: "b", tools: [off] });
  const result = await executor.execute("on", {});
  assert.equal(result.status === "not_found" && result.error.code, "tool_not_found");
  assert.match(
    result.status === "not_found" ? result.finalText : "",
    /There is no tool "on"\. Did you mean One\?$/m,
  );
});
