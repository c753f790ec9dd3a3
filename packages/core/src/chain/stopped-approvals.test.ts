import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolChain } from "./run-tool-chain.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { InlineApprovalAdapter } from "../policy/inline-approval-adapter.ts";

const asks = defineTool({ name: "Asks", description: "", execute: () => "ran" });
const parent = defineTool({
  ...reads,
  name: "Parent",
  execute: async (_args, { callTool }) => (await callTool("Asks", {})).status,
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a sub-call's approval request is withdrawn when its parent is stopped", async () => {
  const approvals = new InlineApprovalAdapter();
  const executor = executorWith([asks, parent], { approvals });
  const call = executor.execute("Parent", {}, { callId: "p" });
  await turn();
  assert.equal(approvals.pending.length, 1);
  executor.cancel("p");
  assert.equal((await call).status, "cancelled");
  await turn();
  assert.deepEqual(approvals.pending, []);
});

for (const name of ["Asks", "Parent"]) {
  test(`in a chain, an approval request is withdrawn when its call is stopped: ${name}`, async () => {
    const approvals = new InlineApprovalAdapter();
    const executor = executorWith([asks, parent], { approvals });
    const model = new ScriptedModel([{ calls: [{ name, id: "c" }] }, "done"]);
    const run = runToolChain({ executor, model, contextMessages: [] });
    for (let n = 0; n < 5; n++) await turn();
    assert.equal(approvals.pending.length, 1);
    assert.equal(run.cancelCall("c"), true);
    await run.result;
    await turn();
    assert.deepEqual(approvals.pending, []);
  });
}

test("in a chain, an approval request that is answered elsewhere is withdrawn", async () => {
  const approvals = new InlineApprovalAdapter();
  const executor = executorWith([asks], { approvals });
  const model = new ScriptedModel([{ calls: [{ name: "Asks" }] }, "done"]);
  const run = runToolChain({ executor, model, contextMessages: [] });
  for (let n = 0; n < 5; n++) await turn();
  const id = approvals.pending[0]?.id ?? "";
  assert.equal(run.answer(id, { decision: "allow" }), true);
  assert.equal((await run.result).toolCallHistory[0]?.status, "success");
  assert.deepEqual(approvals.pending, []);
});
