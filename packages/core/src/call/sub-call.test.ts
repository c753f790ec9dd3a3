import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool, defineToolGroup } from "../tool/define-tool.ts";
import type { ToolExecuteResult } from "./record/call-outcome.ts";
import { MemoryLedger } from "./record/ledger.ts";
import { ToolExecutor } from "./tool-executor.ts";

const writes = { ...reads, effects: "write" } as const;
const codeOf = (result: ToolExecuteResult) =>
  "error" in result ? result.error.code : result.status;

// Contract: executor-112, plugins-74
test("sub-calls are nested up to the limit and no deeper", async () => {
  const depths: string[] = [];
  const nest = defineTool({
    ...reads,
    name: "Nest",
    execute: async (_args, { callTool }): Promise<string> => {
      depths.push("in");
      depths.push(codeOf(await callTool("Nest", {})));
      return "out";
    },
  });
  await executorWith([nest], { limits: { subCallDepth: 2 } }).execute("Nest", {});
  assert.deepEqual(depths, ["in", "in", "in", "too_deep", "success", "success"]);
});

// Contract: executor-112, plugins-74
test("a call can make sub-calls up to the limit and no more", async () => {
  const one = defineTool({ ...reads, name: "One", execute: () => 1 });
  const many = defineTool({
    ...reads,
    name: "Many",
    execute: async (_args, { callTool }) => {
      const calls = Array.from({ length: 6 }, () => callTool("One", {}));
      return (await Promise.all(calls)).map(codeOf);
    },
  });
  const executor = executorWith([one, many], { limits: { subCalls: 4 } });
  const result = await executor.execute("Many", {});
  assert.deepEqual(result.status === "success" && result.data, [
    ...Array.from({ length: 4 }, () => "success"),
    "too_many_calls",
    "too_many_calls",
  ]);
});

// Contract: plugins-73
test("a sub-call ignores its ancestors' locks, uses no slot, and is recorded under its parent", async () => {
  const ledger = new MemoryLedger();
  const leaf = defineTool({ ...writes, name: "Leaf", execute: () => "leaf" });
  const middle = defineTool({
    ...writes,
    name: "Middle",
    execute: async (_args, { callTool }) => codeOf(await callTool("Leaf", {})),
  });
  const top = defineTool({
    ...writes,
    effects: "exclusive",
    name: "Top",
    execute: async (_args, { callTool }) => codeOf(await callTool("Middle", {})),
  });
  const executor = executorWith([leaf, middle, top], { ledger, limits: { callsAtOnce: 1 } });
  assert.equal((await executor.execute("Top", {})).status, "success");
  const [first, second, third] = ledger.list();
  assert.deepEqual([first?.name, second?.name, third?.name], ["Top", "Middle", "Leaf"]);
  assert.equal(second?.parentCallId, first?.callId);
  assert.equal(third?.parentCallId, second?.callId);
});

// Contract: executor-112, plugins-72
test("a sub-call goes through the gate, which rejects unknown, invalid and forbidden calls", async () => {
  const forbidden = defineTool({
    ...reads,
    name: "Forbidden",
    permission: { executionPolicy: "deny" },
    execute: () => assert.fail("it ran"),
  });
  const script = defineTool({
    ...reads,
    name: "Script",
    execute: async (_args, { callTool }) => [
      codeOf(await callTool("Nobody", {})),
      codeOf(await callTool("Forbidden", {})),
      codeOf(await callTool("Script", null)),
    ],
  });
  const result = await executorWith([forbidden, script]).execute("Script", {});
  assert.deepEqual(result.status === "success" && result.data, [
    "tool_not_found",
    "execution_rejected",
    "invalid_arguments",
  ]);
});

// Contract: plugins-77
test("references in a sub-call's arguments are text, unless its caller requests them resolved", async () => {
  const echo = defineTool({
    ...reads,
    name: "Echo",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: ({ text }) => text,
  });
  const script = defineTool({
    ...reads,
    name: "Script",
    execute: async (_args, { callTool }) => {
      const text = "$VAR_REF{{secret}}";
      const plain = await callTool("Echo", { text });
      const asked = await callTool("Echo", { text }, { references: true });
      return [plain, asked].map((result) => (result.status === "success" ? result.data : result));
    },
  });
  const executor = executorWith([echo, script]);
  executor.variables.addVariable("secret", "tulip", "USER_ADD");
  const result = await executor.execute("Script", {});
  assert.deepEqual(result.status === "success" && result.data, ["$VAR_REF{{secret}}", "tulip"]);
  // If the model itself calls the tool, references are resolved.
  const own = await executor.execute("Echo", { text: "$VAR_REF{{secret}}" });
  assert.equal(own.status === "success" && own.data, "tulip");
});

// Contract: plugins-75
test("in a chain a sub-call can call only the tools that the request offers", async () => {
  const results: string[] = [];
  const ask = (name: string) =>
    defineTool({
      ...reads,
      name,
      execute: async (_args, { callTool }) => {
        for (const called of ["In", "b.Out", "Out", "a.Kept", "Gone"]) {
          const result = await callTool(called, {});
          results.push(`${called} ${codeOf(result)}`);
        }
      },
    });
  const one = (name: string) => defineTool({ ...reads, name, execute: () => name });
  const executor = new ToolExecutor();
  executor.registerToolGroup(
    defineToolGroup({ name: "a", tools: [ask("Top"), one("In"), one("Kept")] }),
  );
  executor.registerToolGroup(defineToolGroup({ name: "b", tools: [one("Out")] }));
  for (const group of ["a", "b"]) executor.toggleGroupEnabled(group, true);
  const run = (options: object) =>
    runToolChain({
      executor,
      model: new ScriptedModel([{ calls: [{ name: "Top" }] }, "Done."]),
      contextMessages: [{ role: "user", content: "go" }],
      ...options,
    }).result;
  await run({ groups: ["a"], allowTool: (id: string) => id !== "a.Kept" });
  assert.deepEqual(results.splice(0), [
    "In success",
    "b.Out tool_not_offered",
    "Out tool_not_offered",
    "a.Kept tool_not_offered",
    "Gone tool_not_found",
  ]);
  await run({});
  assert.deepEqual(
    results.filter((result) => result.endsWith("success")),
    ["In success", "b.Out success", "Out success", "a.Kept success"],
  );
});

// Contract: executor-258
test("the tools of a group can call its tool that asks the user, even if the request does not offer it", async () => {
  const results: string[] = [];
  const ask = (name: string, called: string) =>
    defineTool({
      ...reads,
      name,
      execute: async (_args, { callTool }) => {
        results.push(`${name} ${codeOf(await callTool(called, {}))}`);
      },
    });
  const question = defineTool({ ...reads, name: "Question", asksUser: true, execute: () => "yes" });
  const executor = new ToolExecutor({ rules: [{ tool: "a.Question", execution: "auto" }] });
  executor.registerToolGroup(
    defineToolGroup({ name: "a", tools: [ask("Own", "a.Question"), question] }),
  );
  executor.registerToolGroup(defineToolGroup({ name: "b", tools: [ask("Other", "a.Question")] }));
  for (const group of ["a", "b"]) executor.toggleGroupEnabled(group, true);
  await runToolChain({
    executor,
    model: new ScriptedModel([{ calls: [{ name: "Own" }, { name: "Other" }] }, "Done."]),
    contextMessages: [{ role: "user", content: "go" }],
    allowTool: (id) => id !== "a.Question",
  }).result;
  assert.deepEqual(results.toSorted(), ["Other tool_not_offered", "Own success"]);
});
