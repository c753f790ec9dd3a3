import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolExecutorOptions } from "../call/tool-executor.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const echo = defineTool({
  ...reads,
  name: "Echo",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => text,
});
const asks = defineTool({ name: "Asks", description: "", execute: () => "allowed" });
const approvals = { request: () => ({ decision: "pending" as const }) };

function start(
  tools: readonly Tool[],
  script: readonly ScriptedStep[],
  more: Partial<ToolChainOptions> = {},
  options: ToolExecutorOptions = {},
) {
  const executor = executorWith(tools, options);
  const model = new ScriptedModel(script);
  const input = [{ role: "user", content: "Go." }] as const;
  const chain = { executor, model, contextMessages: [], inputMessages: input, ...more };
  return { executor, result: runToolChain(chain).result };
}

const keptAs = (result: Awaited<ReturnType<typeof start>["result"]>) =>
  result.state.calls.map(({ name, result: kept }) => `${name} → ${kept?.cacheVarResult ?? "-"}`);

// Contract: executor-123, variables-27, variables-58
test("results are numbered in the order in which the model wrote the calls", async () => {
  const release = Promise.withResolvers<string>();
  const slow = defineTool({ ...reads, name: "Slow", execute: () => release.promise });
  const last = defineTool({
    ...reads,
    name: "Last",
    execute: () => (release.resolve("slow"), "last"),
  });
  const calls = [{ name: "Slow" }, { name: "Echo", args: { text: "x" } }, { name: "Last" }];
  const { executor, result } = start([slow, echo, last], [{ calls }, "done"]);
  assert.deepEqual(keptAs(await result), ["Slow → Slow_1", "Echo → Echo_2", "Last → Last_3"]);
  assert.equal(executor.variables.getVariable("Slow_1")?.value.text, "slow");
});

// Contract: variables-49
test("a call that fails before it runs keeps its number, so that later calls have the expected names", async () => {
  const calls = [
    { name: "Echo", args: { text: 1, more: [] } },
    { name: "Echo", args: {} },
    { name: "Echo", args: { text: "x" } },
  ];
  const { executor, result } = start([echo], [{ calls }, "done"]);
  assert.deepEqual(keptAs(await result).slice(1), ["Echo → -", "Echo → Echo_3"]);
  const missing = executor.variables.missingVariable("Echo_2");
  assert.equal(missing.code, "variable_without_result");
  assert.match(missing.message, /failed before it ran/);
});

// Contract: variables-58
test("tools whose results are not stored use no number", async () => {
  const quiet = defineTool({
    ...reads,
    name: "Quiet",
    SKIP_CACHE_RESULT: true,
    execute: () => "psst",
  });
  const calls = [{ name: "Quiet" }, { name: "Unknown" }, { name: "Echo", args: { text: "x" } }];
  const { result } = start([quiet, echo], [{ calls }, "done"]);
  assert.deepEqual(keptAs(await result), ["Quiet → -", "Unknown → -", "Echo → Echo_1"]);
});

// Contract: variables-59
test("a waiting call keeps its name in another process, and no later call gets it", async () => {
  const calls = [{ name: "Asks" }, { name: "Echo", args: { text: "meanwhile" } }];
  const first = start([asks, echo], [{ calls }], {}, { approvals });
  const { state } = await first.result;
  assert.equal(first.executor.variables.missingVariable("Asks_1").code, "variable_without_result");

  // The next process gets only the variables and the state. The newest name has no variable yet.
  const stored = JSON.parse(JSON.stringify({ ...state })) as typeof state;
  const variables = VariableSystem.restore([]);
  const resume = {
    state: stored,
    answers: [{ callId: "call_1", decision: { decision: "allow" } as const }],
  };
  const again = { calls: [{ name: "Echo", args: { text: "again" }, id: "call_3" }] };
  const second = start(
    [asks, echo],
    [again, "done"],
    { inputMessages: [], resume },
    { approvals, variables },
  );
  assert.deepEqual(keptAs(await second.result), [
    "Asks → Asks_1",
    "Echo → Echo_2",
    "Echo → Echo_3",
  ]);
});

// Contract: variables-58
test("sub-calls are numbered in the order of their proposal, after the calls of the round", async () => {
  const outer = defineTool({
    ...reads,
    name: "Outer",
    execute: async (_args, { callTool }) => {
      const both = [callTool("Slow", {}), callTool("Echo", { text: "inner" })];
      return (await Promise.all(both)).map(({ status }) => status);
    },
  });
  const release = Promise.withResolvers<string>();
  const slow = defineTool({ ...reads, name: "Slow", execute: () => release.promise });
  const last = defineTool({
    ...reads,
    name: "Last",
    execute: async () => {
      setTimeout(() => release.resolve("slow"), 5);
      return "last";
    },
  });
  const { result } = start(
    [outer, slow, last, echo],
    [{ calls: [{ name: "Outer" }, { name: "Last" }] }, "done"],
  );
  assert.deepEqual(keptAs(await result).toSorted(), [
    "Echo → Echo_4",
    "Last → Last_2",
    "Outer → Outer_1",
    "Slow → Slow_3",
  ]);
});

// Contract: variables-58
test("arguments that take time to check do not change the order", async () => {
  const checked = defineTool({
    ...reads,
    name: "Checked",
    parameters: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: async (value: unknown) => ({ value: value as object }),
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    },
    execute: () => "checked",
  });
  const outer = defineTool({
    ...reads,
    name: "Outer",
    execute: async (_args, { callTool }) => (await callTool("Echo", { text: "inner" })).status,
  });
  const late = defineTool({ ...reads, name: "Late", execute: () => "late" });
  const { result } = start(
    [outer, checked, late, echo],
    [{ calls: [{ name: "Outer" }, { name: "Checked" }, { name: "Late" }] }, "done"],
  );
  assert.deepEqual(keptAs(await result).toSorted(), [
    "Checked → Checked_2",
    "Echo → Echo_4",
    "Late → Late_3",
    "Outer → Outer_1",
  ]);
});
