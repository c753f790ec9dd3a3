import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith } from "../../testing/executor-with.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ChainState } from "../journal/chain-result.ts";
import { resumeToolChain, runToolChain } from "../run-tool-chain.ts";

/** A chain that waits for the approval of two calls. */
async function waiting() {
  let sent = 0;
  const send = defineTool({
    name: "Send",
    description: "",
    permission: { executionPolicy: "ask-always" },
    execute: () => ++sent,
  });
  const executor = executorWith([send], {
    approvals: { request: () => ({ decision: "pending" }) },
  });
  const model = new ScriptedModel([{ calls: [{ name: "Send" }, { name: "Send" }] }]);
  const { state } = await runToolChain({ executor, model, contextMessages: [] }).result;
  const [first = "", second = ""] = state.calls.map(({ callId }) => callId);
  const copy = () => JSON.parse(JSON.stringify(state)) as ChainState;
  const resume = (from: ChainState, ...allowed: readonly string[]) =>
    resumeToolChain(executor, from, {
      model: new ScriptedModel(["Sent."]),
      contextMessages: [],
      answers: allowed.map((callId) => ({ callId, decision: { decision: "allow" } })),
    }).result;
  return { state, first, second, copy, resume, sent: () => sent };
}

// Contract: loop-64
test("if two chains resume the same state, only one runs its calls", async () => {
  const { copy, first, second, resume, sent } = await waiting();
  const [one, other] = await Promise.all([
    resume(copy(), first, second),
    resume(copy(), first, second),
  ]);
  assert.equal(one.status, "completed");
  assert.deepEqual([other.status, other.error?.code], ["error", "already_resumed"]);
  assert.match(other.error?.message ?? "", /Resume from the state in the result of the chain/);
  const late = await resume(copy(), first, second);
  assert.equal(late.error?.code, "already_resumed");
  assert.equal(sent(), 2);
});

// Contract: loop-64
test("the state of a resumed chain continues it, and an older state does not rerun its calls", async () => {
  const { copy, first, second, resume, sent } = await waiting();
  const half = await resume(copy(), first);
  assert.deepEqual([half.status, sent()], ["requires_action", 1]);
  assert.equal((await resume(copy(), first, second)).error?.code, "already_resumed");
  const whole = await resume(half.state, second);
  assert.deepEqual([whole.status, sent()], ["completed", 2]);
});
