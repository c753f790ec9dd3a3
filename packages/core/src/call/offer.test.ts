import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup } from "../tool/define-tool.ts";
import { ToolExecutor } from "./tool-executor.ts";

const parameters = { type: "object", properties: {} } as const;
const tool = (name: string) =>
  defineTool({ name, description: name, parameters, execute: () => "" });
const client = (name: string) => ({ type: "function", function: { name, parameters } }) as const;

function executorOf() {
  const executor = new ToolExecutor();
  for (const [name, tools] of [
    ["a", [tool("One"), tool("Two")]],
    ["b", [tool("Three")]],
  ] as const) {
    executor.registerToolGroup(defineToolGroup({ name, tools }));
    executor.toggleGroupEnabled(name, true);
  }
  return executor;
}

test("an offer follows every change, even if a list is changed in place", () => {
  const executor = executorOf();
  const groups = ["a"];
  const clientTools = [client("Ask")];
  let isAllowed = true;
  const names = () =>
    executor
      .offer({ groups, clientTools, allowTool: (id) => isAllowed || id !== "a.One" })
      .definitions.map((definition) => definition.function.name);
  assert.deepEqual(names(), ["One", "Two", "Ask"]);
  groups.push("b");
  assert.deepEqual(names(), ["One", "Two", "Three", "Ask"]);
  clientTools.push(client("Show"));
  assert.deepEqual(names(), ["One", "Two", "Three", "Ask", "Show"]);
  isAllowed = false;
  assert.deepEqual(names(), ["Two", "Three", "Ask", "Show"]);
  executor.setToolEnabled("Two", false);
  assert.deepEqual(names(), ["Three", "Ask", "Show"]);
  executor.unregisterToolGroup("b");
  assert.deepEqual(names(), ["Ask", "Show"]);
});

test("a client's tool that is renamed in place has its new name", () => {
  const executor = executorOf();
  const ask = { type: "function" as const, function: { name: "Ask", parameters } };
  assert.deepEqual([...executor.offer({ clientTools: [ask] }).clientNames], ["Ask"]);
  ask.function.name = "One";
  const { clientNames, names } = executor.offer({ clientTools: [ask] });
  assert.deepEqual([...clientNames], ["One"]);
  assert.equal(names["a_One"], "a.One");
});

test("tools for a session's variables are offered while there are variables", () => {
  const executor = new ToolExecutor();
  const read = { ...tool("Read"), alwaysOffered: true };
  executor.registerToolGroup(defineToolGroup({ name: "vars", tools: [read] }));
  const count = () => executor.offer().definitions.length;
  assert.equal(count(), 0);
  executor.variables.addVariable("note", "text", "USER_ADD");
  assert.equal(count(), 1);
  executor.variables.removeVariables(["note"]);
  assert.equal(count(), 0);
});
