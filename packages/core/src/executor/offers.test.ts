import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import { defineToolGroup } from "../tool/define-tool-group.ts";
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

test("what says the same is the very same offer, whoever asks", () => {
  const executor = executorOf();
  const allowed = () => ({
    groups: ["a"],
    clientTools: [],
    allowTool: (id: string) => id !== "a.Two",
  });
  assert.equal(executor.offer(allowed()), executor.offer(allowed()));
  assert.equal(executor.offer({ groups: ["a"] }), executor.offer({ groups: ["a"] }));
});

test("what is offered follows whatever changes, in place too", () => {
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
