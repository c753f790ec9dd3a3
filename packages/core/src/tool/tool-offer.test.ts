import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { Tool, ToolGroup } from "./tool.ts";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({ ...reads, name, execute: () => name }),
  ...more,
});
const names = (definitions: readonly ToolDefinition[]) =>
  definitions.map(({ function: { name } }) => name);

function executorOf(...groups: readonly ToolGroup[]): ToolExecutor {
  const executor = new ToolExecutor();
  for (const group of groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  return executor;
}

// Contract: executor-51, executor-75, executor-191
test("a tool whose name is in use becomes group_Tool, in the order of registration", async () => {
  const executor = executorOf(
    { name: "vars", tools: [tool("ReadVar", { execute: () => "the real one" })] },
    { name: "mine", tools: [tool("ReadVar", { execute: () => "a silent replacement" })] },
  );
  const offer = executor.offer();
  assert.deepEqual({ ...offer.names }, { ReadVar: "vars.ReadVar", mine_ReadVar: "mine.ReadVar" });
  const read = await executor.execute("ReadVar", {});
  assert.equal(read.status === "success" && read.data, "the real one");
  const mine = await executor.execute("mine.ReadVar", {});
  assert.equal(mine.status === "success" && mine.data, "a silent replacement");
});

// Contract: executor-75
test("a client's tools keep their names, and the server's are renamed", () => {
  const clientTools = [{ type: "function", function: { name: "One" } }] as const;
  const offer = executorOf({ name: "a", tools: [tool("One")] }).offer({ clientTools });
  assert.deepEqual(names(offer.definitions), ["a_One", "One"]);
  assert.deepEqual([...offer.clientNames], ["One"]);
});

// Contract: executor-75
test("names that are too long or in use twice are numbered, and every provider accepts them", () => {
  const long = "x".repeat(64);
  const executor = executorOf(
    { name: "a", tools: [tool(long), tool("y".repeat(64))] },
    { name: "b".repeat(64), tools: [tool(long), tool("y".repeat(64))] },
    { name: "c", tools: [tool("y".repeat(64))] },
  );
  const offered = names(executor.getEnabledToolDefinitions());
  assert.equal(new Set(offered).size, 5);
  assert.ok(
    offered.includes(`${"b".repeat(60)}_2`),
    "the group's first tool gets the name group_Tool",
  );
  for (const name of offered) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
});

// Contract: executor-26, executor-82, executor-83, variables-32
test("always-offered tools are offered only with another tool or a session's variable", () => {
  const executor = executorOf({ name: "a", tools: [tool("One")] });
  executor.registerToolGroup({
    name: "vars",
    tools: [tool("ReadVar", { alwaysOffered: true }), tool("WriteVar")],
  });
  assert.deepEqual(names(executor.getEnabledToolDefinitions()), ["One", "ReadVar"]);
  executor.toggleGroupEnabled("a", false);
  assert.deepEqual(executor.getEnabledToolDefinitions(), []);
  executor.variables.addVariable("note", "text", "USER_ADD");
  assert.deepEqual(names(executor.getEnabledToolDefinitions()), ["ReadVar"]);
});

// Contract: executor-1, executor-169, plugins-1
test("the model gets only the function spec of a definition", async () => {
  const extra = { executionPolicy: "auto", lastModified: 5 };
  const definition = {
    type: "function",
    function: { name: "One", description: "d" },
    ...extra,
  } as const;
  const executor = executorWith([tool("One", { definition })]);
  const model = new ScriptedModel(["done"]);
  await runToolChain({ executor, model, contextMessages: [] }).result;
  const [offered] = model.requests[0]?.tools ?? [];
  assert.deepEqual(Object.keys(offered ?? {}), ["type", "function"]);
  assert.equal(offered?.function, definition.function);
});

// Contract: executor-8
test("a registered tool without execute belongs to the client: it is offered unchanged and not run here", async () => {
  const { execute: _none, ...definitionOnly } = tool("Client");
  const executor = executorWith([definitionOnly]);
  const offer = executor.offer();
  assert.deepEqual([...offer.clientNames], ["Client"]);
  assert.equal(offer.definitions[0], definitionOnly.definition);
  const result = await executor.execute("Client", {});
  assert.equal(result.status === "error" && result.error.code, "client_tool");
});

// Contract: executor-17
test("a declared return type adds only a line to the model's definition", () => {
  const declared = tool("Count", { declaredReturnType: { type: "number", note: "people" } });
  const bare = tool("Bare", { declaredReturnType: { type: "{ a: string }" } });
  const executor = executorWith([
    {
      ...declared,
      definition: { ...declared.definition, function: { name: "Count", description: "Counts." } },
    },
    { ...bare, definition: { type: "function", function: { name: "Bare" } } },
  ]);
  const descriptions = executor.getEnabledToolDefinitions().map((one) => one.function.description);
  assert.deepEqual(descriptions, ["Counts.\nReturns number: people", "Returns { a: string }"]);
  assert.equal(executor.offer().definitions[0], executor.offer().definitions[0], "made once");
  assert.equal(executor.getTool("Bare")?.definition.function.description, undefined);
});
