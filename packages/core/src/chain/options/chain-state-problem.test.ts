import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ChainState } from "../journal/chain-result.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { resumeToolChain, runToolChain } from "../run-tool-chain.ts";

const contextMessages = [{ role: "user", content: "Go." }] as const;
const allow = [{ callId: "call_2", decision: { decision: "allow" } }] as const;

function world() {
  const ran: unknown[] = [];
  const pay = defineTool({
    name: "Pay",
    description: "",
    permission: { executionPolicy: "ask-always" },
    parameters: { type: "object", properties: { sum: { type: "number" } } },
    execute: (args) => {
      ran.push(args);
      return "paid";
    },
  });
  const look = defineTool({ ...reads, name: "Look", execute: () => "seen" });
  const approvals = { request: () => Promise.resolve({ decision: "pending" } as const) };
  return { ran, executor: executorWith([pay, look], { approvals }) };
}

/** A chain that waits for the approval of its second call, as a program stored it. */
async function waiting(): Promise<JsonObject & { readonly calls: readonly JsonObject[] }> {
  const calls = [{ name: "Look" }, { name: "Pay", args: { sum: 1 } }];
  const { status, state } = await runToolChain({
    executor: world().executor,
    model: new ScriptedModel([{ text: "I pay.", calls }]),
    contextMessages,
  }).result;
  assert.equal(status, "requires_action");
  return JSON.parse(JSON.stringify(state)) as Awaited<ReturnType<typeof waiting>>;
}

async function resumeFrom(state: unknown) {
  const { ran, executor } = world();
  const journal = new MemoryJournal();
  const model = new ScriptedModel(["Done.", "Done."]);
  const options = { model, contextMessages, answers: allow, journal };
  const result = await resumeToolChain(executor, state as ChainState, options).result;
  return { ran, result, model, journal };
}

// Contract: loop-66
test("a state that was stored as JSON can be resumed", async () => {
  const { ran, result } = await resumeFrom(await waiting());
  assert.deepEqual([result.status, result.error, ran], ["completed", undefined, [{ sum: 1 }]]);
});

// Contract: loop-66
test("an invalid state is rejected with its problem: nothing runs, nothing is written", async () => {
  const state = await waiting();
  const calls = (change: JsonObject) => state.calls.map((call) => ({ ...call, ...change }));
  const tokens = { definition: 1, arguments: 1, shown: 1, withheld: 0 };
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /state is undefined/],
    [JSON.stringify(state), /should be an object/],
    [[], /should be an object/],
    [{}, /state\.round is undefined/],
    [{ ...state, round: "3" }, /state\.round is "3"/],
    [{ ...state, round: -1 }, /state\.round is -1/],
    [{ ...state, elapsed: null }, /state\.elapsed is null/],
    [{ ...state, usage: null }, /state\.usage is null/],
    [{ ...state, usageByRound: [null] }, /usageByRound\[0\] is null/],
    [{ ...state, messages: "x" }, /state\.messages is "x"/],
    [{ ...state, messages: [null] }, /messages\[0\] is null/],
    [{ ...state, messages: [{ role: "robot", content: "x" }] }, /messages\[0\]\.role is "robot"/],
    [{ ...state, messages: [{ role: "assistant" }] }, /messages\[0\]\.content is undefined/],
    [
      { ...state, messages: [{ role: "assistant", content: "", tool_calls: [{ id: "a" }] }] },
      /tool_calls\[0\]\.function is undefined/,
    ],
    [{ ...state, calls: [null] }, /calls\[0\] is null/],
    [{ ...state, calls: calls({ status: "weird" }) }, /calls\[0\]\.status is "weird"/],
    [{ ...state, calls: calls({ callId: "same" }) }, /calls\[1\]\.callId is "same"/],
    [{ ...state, calls: calls({ args: "x" }) }, /calls\[0\]\.args is "x"/],
    [{ ...state, calls: calls({ result: {} }) }, /calls\[0\]\.result\.tokens is undefined/],
    [{ ...state, calls: calls({ result: { tokens: {} } }) }, /tokens\.definition is undefined/],
    [{ ...state, calls: calls({ result: { tokens } }) }, /result\.finalText is undefined/],
    [
      { ...state, calls: calls({ result: { tokens, finalText: "x", parts: [null] } }) },
      /result\.parts\[0\] is null/,
    ],
  ];
  for (const [given, problem] of bad) {
    const { ran, result, model, journal } = await resumeFrom(given);
    assert.deepEqual([result.status, result.error?.code], ["error", "invalid_state"]);
    assert.match(result.error?.message ?? "", problem);
    assert.deepEqual([ran, model.requests.length, journal.writes.length], [[], 0, 0]);
  }
});

// Contract: loop-67
test("invalid answers are rejected with their path: nothing runs, and the state can be resumed", async () => {
  const state = await waiting();
  const answer = (decision: unknown) => ({ answers: [{ callId: "call_2", decision }] });
  const bad: readonly (readonly [object, RegExp])[] = [
    [{ answers: "x" }, /answers is "x"/],
    [{ answers: [null] }, /answers\[0\] is null/],
    [answer(null), /answers\[0\]\.decision is null/],
    [answer({ decision: "maybe" }), /decision\.decision is "maybe", and should be allow or refuse/],
    [{ reviews: [{ callId: "call_2", decision: { decision: "allow" } }] }, /should be release/],
    [{ outputs: [{ callId: "call_2", output: 5 }] }, /outputs\[0\]\.output is 5/],
    [{ outputs: [{ output: "x" }] }, /outputs\[0\]\.callId is undefined/],
  ];
  for (const [more, problem] of bad) {
    const { ran, executor } = world();
    const journal = new MemoryJournal();
    const options = { model: new ScriptedModel([]), contextMessages, journal, ...more };
    const { status, error } = await resumeToolChain(
      executor,
      state as unknown as ChainState,
      options,
    ).result;
    assert.deepEqual([status, error?.code], ["error", "invalid_answers"]);
    assert.match(error?.message ?? "", problem);
    assert.deepEqual([ran, journal.writes], [[], []]);
  }
});

// Contract: loop-67
test("an invalid approval runs no call, and an output that is not text answers no call", async () => {
  const { ran, executor } = world();
  const answered = Promise.withResolvers<void>();
  const hold = defineTool({ ...reads, name: "Hold", execute: () => answered.promise });
  executor.registerToolGroup({ name: "more", tools: [hold] });
  executor.toggleGroupEnabled("more", true);
  const calls = ["Pay", "Mine", "Hold"].map((name) => ({ name }));
  const run = runToolChain({
    executor,
    model: new ScriptedModel([{ calls }, "Done."]),
    contextMessages,
    clientTools: [{ type: "function", function: { name: "Mine" } }],
    onEvent: ({ type, ...event }) => {
      if (type !== "approval.requested" || !("approval" in event)) return;
      const maybe = { decision: "maybe" } as unknown as ApprovalDecision;
      setImmediate(() => {
        assert.ok(run.answer(event.approval.id, maybe));
        for (const output of [null, undefined, 5, {}] as unknown as string[])
          assert.throws(() => run.submitOutput({ callId: "call_2", output }), /must be a text/);
        assert.ok(run.submitOutput({ callId: "call_2", output: "mine" }));
        answered.resolve();
      });
    },
  });
  const { status, toolCallHistory } = await run.result;
  assert.deepEqual([status, ran], ["completed", []]);
  const ends = toolCallHistory.map((call) => call.status);
  assert.deepEqual(ends, ["execution_rejected", "success", "success"]);
});

// Contract: loop-72
test("a user's approval does not cover arguments that changed after the request", async () => {
  const state = await waiting();
  const changed = state.calls.map((call) =>
    call["status"] === "waiting" ? { ...call, args: { sum: 1_000_000 } } : call,
  );
  const { ran, result } = await resumeFrom({ ...state, calls: changed });
  assert.deepEqual(ran, []);
  const { result: end } = result.toolCallHistory.find(({ toolName }) => toolName === "Pay") ?? {};
  assert.match(end?.finalText ?? "", /^Error \(tool_changed\)/);
});

// Contract: loop-66
test("if another option is invalid, the result's state is the unchanged state", async () => {
  const state = (await waiting()) as unknown as ChainState;
  const refuse = { decision: "no" } as unknown as ApprovalDecision;
  const cut = {
    ...state,
    messages: [{ role: "assistant", content: "Hal" } as const],
    cut: true,
  } as const;
  const wrong = [
    [state, "invalid_answers", { answers: [{ callId: "call_2", decision: refuse }] }],
    [state, "invalid_options", { answer: allow }],
    [state, "invalid_messages", { inputMessages: [{ role: "user" }] }],
    [state, "invalid_limits", { maxRounds: -1 }],
    [cut, "invalid_limits", { maxRounds: -1 }],
    [cut, "invalid_options", { maxRound: 1 }],
  ] as const;
  for (const [given, code, options] of wrong) {
    const { ran, executor } = world();
    const model = new ScriptedModel([]);
    const all = { model, contextMessages, ...options } as unknown as {
      readonly model: ScriptedModel;
      readonly contextMessages: typeof contextMessages;
    };
    const result = await resumeToolChain(executor, given, all).result;
    assert.deepEqual([result.status, result.error?.code, ran], ["error", code, []]);
    const { elapsed, ...kept } = JSON.parse(JSON.stringify(result.state)) as ChainState;
    assert.deepEqual({ ...kept, elapsed: given.elapsed }, given);
    assert.ok(elapsed >= given.elapsed);
  }
  const { result } = await resumeFrom(state);
  assert.equal(result.status, "completed");
});

test("a rejected chain's start is the time of its request", async () => {
  const { executor } = world();
  const before = Date.now();
  const { result } = runToolChain({ executor } as unknown as Parameters<typeof runToolChain>[0]);
  const { stats } = await result;
  assert.ok(stats.startTime >= before && stats.startTime <= stats.endTime, String(stats.startTime));
});
