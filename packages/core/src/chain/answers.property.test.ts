import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import type { ApprovalDecision } from "../policy/approval.ts";
import { messageProblems } from "../testing/chain-problems.ts";
import { reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { ChainState } from "./journal/chain-result.ts";
import { resumeToolChain, runToolChain } from "./run-tool-chain.ts";

const contextMessages = [{ role: "user", content: "Go." }] as const;
const clientTools: readonly ToolDefinition[] = [{ type: "function", function: { name: "Client" } }];
const calls = [
  { name: "Asks", id: "a1", args: { n: 1 } },
  { name: "Client", id: "c1" },
  { name: "Runs", id: "r1" },
  { name: "Asks", id: "a2", args: { n: 2 } },
  { name: "Client", id: "c2" },
  { name: "Asks", id: "a3", args: { n: 3 } },
];
const waits = ["a1", "c1", "a2", "c2", "a3"] as const;

/** A gate whose users answer later. */
function executor(ran: string[]): ToolExecutor {
  const made = new ToolExecutor({ approvals: { request: () => ({ decision: "pending" }) } });
  const execute = (_args: unknown, { callId }: { readonly callId: string }) => {
    ran.push(callId);
    return `${callId} ran`;
  };
  made.registerToolGroup({
    name: "test",
    tools: [
      defineTool({
        ...reads,
        name: "Asks",
        parameters: { type: "object" },
        permission: { executionPolicy: "ask-always" },
        execute,
      }),
      defineTool({ ...reads, name: "Runs", parameters: { type: "object" }, execute }),
    ],
  });
  made.toggleGroupEnabled("test", true);
  return made;
}

const allow: ApprovalDecision = { decision: "allow" };
const refuse: ApprovalDecision = { decision: "refuse", reason: "not now" };

/** The waiting calls, shuffled and in portions, and the rejected ones. */
const plans = fc.record({
  order: fc.shuffledSubarray([...waits], { minLength: waits.length }),
  portions: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 5 }),
  refused: fc.subarray(["a1", "a2", "a3"]),
  restarted: fc.boolean(),
});

// Contract: loop-3, loop-62
test("answers may arrive in any order and portions: each call runs once, and unanswered calls still wait", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ order, portions, refused, restarted }) => {
      const ran: string[] = [];
      const model = new ScriptedModel([{ calls }, "All are in."]);
      let gate = executor(ran);
      const options = { model, contextMessages, clientTools };
      let result = await runToolChain({ ...options, executor: gate }).result;
      // The call that needs no answer has run.
      assert.deepEqual(ran, ["r1"]);
      const left = [...order];
      for (const portion of portions) {
        if (left.length === 0) break;
        assert.equal(result.status, "requires_action");
        assert.deepEqual(
          result.waiting.map(({ callId }) => callId),
          waits.filter((id) => left.includes(id)),
        );
        assert.equal(model.requests.length, 1);
        const now = left.splice(0, portion);
        const asked = now.filter((id) => id.startsWith("a"));
        const answers = asked.map((callId) => ({
          callId,
          decision: refused.includes(callId) ? refuse : allow,
        }));
        const clients = now.filter((id) => id.startsWith("c"));
        const outputs = clients.map((callId) => ({ callId, output: `${callId} answered` }));
        const state = JSON.parse(JSON.stringify(result.state)) as ChainState;
        if (restarted) gate = executor(ran);
        result = await resumeToolChain(gate, state, { ...options, answers, outputs }).result;
        assert.deepEqual(result.problems, []);
      }
      if (left.length > 0) return;
      assert.equal(result.status, "completed");
      assert.deepEqual(messageProblems(result.messages.complete), []);
      const allowed = ["a1", "a2", "a3"].filter((id) => !refused.includes(id));
      assert.deepEqual(ran.toSorted(), [...allowed, "r1"]);
      const contents = model.requests[1]?.messages
        .slice(-calls.length)
        .map(({ content }) => content);
      for (const [at, { id }] of calls.entries()) {
        const text = String(contents?.[at]);
        if (id.startsWith("c")) assert.equal(text, `${id} answered`);
        else if (refused.includes(id)) assert.match(text, /not now/);
        else assert.match(text, new RegExp(`^${id} ran`));
      }
    }),
    { numRuns: 60 },
  );
});

// Contract: loop-52, loop-65
test("an answer that matches no waiting call is reported, and changes nothing", async () => {
  const ran: string[] = [];
  const model = new ScriptedModel([{ calls }]);
  const options = { model, contextMessages, clientTools };
  const { state } = await runToolChain({ ...options, executor: executor(ran) }).result;
  const next = await resumeToolChain(executor(ran), state, {
    ...options,
    answers: [
      { callId: "r1", decision: allow },
      { callId: "c1", decision: allow },
      { callId: "nobody", decision: allow },
    ],
    outputs: [
      { callId: "a1", output: "I am not a client" },
      { callId: "nobody", output: "?" },
    ],
  }).result;
  assert.equal(next.status, "requires_action");
  assert.equal(next.waiting.length, waits.length);
  assert.deepEqual(
    next.problems.map(({ code }) => code),
    Array.from({ length: 5 }, () => "not_awaited"),
  );
  assert.deepEqual(ran, ["r1"]);
});

// Contract: loop-73
test("an approval request is requested again if its process ended", async () => {
  const ran: string[] = [];
  const model = new ScriptedModel([{ calls: [{ name: "Asks", id: "a1" }] }, "Done."]);
  const { state } = await runToolChain({ model, contextMessages, executor: executor(ran) }).result;
  const here = executor(ran);
  let asked = 0;
  const there = new ToolExecutor({
    approvals: {
      request: async () => {
        asked++;
        return allow;
      },
    },
  });
  for (const { group } of here.gate.registry.tools()) {
    there.registerToolGroup(group);
    break;
  }
  there.toggleGroupEnabled("test", true);
  const result = await resumeToolChain(there, state, { model, contextMessages }).result;
  assert.equal(result.status, "completed");
  assert.deepEqual([asked, ran], [1, ["a1"]]);
});
