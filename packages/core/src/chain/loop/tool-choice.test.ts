import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { defineTool, defineToolGroup } from "../../tool/define-tool.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";
import { runToolChain } from "../run-tool-chain.ts";

async function run(script: readonly ScriptedStep[], more: Partial<ToolChainOptions>) {
  let looked = 0;
  const look = defineTool({ ...reads, name: "Look", execute: () => ++looked });
  const executor = executorWith([look]);
  const read = defineTool({ ...reads, name: "ReadVar", alwaysOffered: true, execute: () => "" });
  executor.registerToolGroup(defineToolGroup({ name: "vars", tools: [read] }));
  executor.toggleGroupEnabled("vars", true);
  const [group = ""] = executor.groups().map(({ name }) => name);
  const model = new ScriptedModel(script);
  const contextMessages = [{ role: "user", content: "Go." }] as const;
  const options = { executor, model, contextMessages, groups: [group], ...more };
  const result = await runToolChain(options).result;
  const offered = model.requests.map(({ tools }) => tools.map((tool) => tool.function.name));
  return { result, model, offered, group, looked: () => looked };
}

const calling = { calls: [{ name: "Look", args: {} }] };

// Contract: loop-104
test("with the tool choice none, no call runs, whatever the model writes", async () => {
  const clientTools = [{ type: "function", function: { name: "Pay" } }] as const;
  const both = { calls: [{ name: "Look" }, { name: "Pay" }] };
  const { result, looked } = await run([both, "Sorry."], {
    clientTools,
    chatOption: { toolChoice: "none" },
  });
  assert.deepEqual([result.status, result.answer, looked()], ["completed", "Sorry.", 0]);
  for (const { status, result: ended } of result.toolCallHistory) {
    assert.equal(status, "error");
    assert.match(ended?.finalText ?? "", /calls_not_allowed.*tool_choice "none"/);
  }
});

// Contract: loop-105
test("only a tool that the caller asked for satisfies a required call", async () => {
  const { offered, model, looked } = await run([calling, "Done."], {
    chatOption: { toolChoice: "required" },
  });
  assert.deepEqual(offered, [["Look"], ["Look", "ReadVar"]]);
  assert.deepEqual(
    model.requests.map(({ toolChoice }) => toolChoice),
    ["required", undefined],
  );
  assert.equal(looked(), 1);
});

// Contract: loop-105
test("a tool that is chosen by its id is forced under the name that the model sees", async () => {
  const clientTools = [{ type: "function", function: { name: "Look" } }] as const;
  const { group } = await run(["Hi."], {});
  const toolId = `${group}.Look`;
  const { model } = await run([{ calls: [{ name: `${group}_Look` }] }, "Done."], {
    clientTools,
    chatOption: { toolChoice: { type: "tool", toolId } },
  });
  assert.deepEqual(model.requests[0]?.toolChoice, { type: "function", name: `${group}_Look` });
  assert.equal(model.requests[1]?.toolChoice, undefined);
  const unknown = await run([], { chatOption: { toolChoice: { type: "tool", toolId: "x.Y" } } });
  assert.equal(unknown.result.error?.code, "tool_choice_not_offered");
});
