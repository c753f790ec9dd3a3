import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { reads } from "../testing/executor-with.ts";
import { defineTool } from "./define-tool.ts";

const draw = defineTool({ ...reads, name: "Draw", execute: () => "drawn" });
const open = defineTool({ name: "Open", description: "" });

const executorOf = (toolSettings: { readonly [id: string]: { readonly final?: boolean } }) => {
  const executor = new ToolExecutor({ toolSettings });
  executor.registerToolGroup({ name: "charts", tools: [draw, open] });
  executor.toggleGroupEnabled("charts", true);
  return executor;
};

// Contract: plugins-83
test("an installation can make a tool final, or make a final tool ordinary", async () => {
  const final = executorOf({ "charts.Draw": { final: true } });
  const model = new ScriptedModel([{ calls: [{ name: "Draw" }] }]);
  const { answer } = await runToolChain({ executor: final, model, contextMessages: [] }).result;
  assert.equal(answer, "drawn");
  const back = new ToolExecutor({ toolSettings: { "own.Draw": { final: false } } });
  back.registerToolGroup({ name: "own", tools: [{ ...draw, final: true }] });
  assert.equal(back.gate.registry.tool("own.Draw")?.tool.final, false);
});

test("a setting that a tool cannot have is ignored", () => {
  const executor = executorOf({ "charts.Open": { final: true } });
  assert.equal(executor.gate.registry.tool("charts.Open")?.tool, open);
  assert.equal(executor.gate.registry.tool("charts.Draw")?.tool, draw);
});

// Contract: plugins-85
test("a hidden tool must run here and cannot be the answer", () => {
  const executor = new ToolExecutor();
  const register = (tool: object) => () =>
    executor.registerToolGroup({ name: "t", tools: [{ ...draw, ...tool }] });
  assert.throws(register({ hidden: true, final: true }), /hidden and final/);
  assert.throws(register({ hidden: true, execute: undefined }), /hidden and has no execute/);
});
