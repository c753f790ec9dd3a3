import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { CallEntry, CallState } from "./call-setup.ts";
import { Call } from "./driver.ts";
import type { CallChange, CallHost } from "./gate/call-host.ts";

const never = () => new Promise<never>(() => {});
const asks = { permission: { executionPolicy: "ask-always" } } as const;
const reviewed = {
  permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
} as const;

/** Starts a call without an answer, and waits until it reaches its state. */
async function callOf(
  tool: Tool,
  options: { readonly later?: boolean; readonly before?: Tool } = {},
) {
  const changes: CallChange[] = [];
  const withdrawn: string[] = [];
  const host: CallHost = {
    commit: (change) => changes.push(change) > 0,
    request: (pending, _call, signal) => {
      if (options.later === true) return "later";
      signal.addEventListener("abort", () => withdrawn.push(pending.kind));
      return never();
    },
    onOutput() {},
  };
  const { before } = options;
  const executor = executorWith([tool, ...(before === undefined ? [] : [before])]);
  if (before !== undefined) void executor.execute(before.definition.function.name, {});
  const { gate, scheduler } = executor;
  const name = tool.definition.function.name;
  const request = { callId: "call_1", name, args: {}, round: 0, idempotencyKey: "call_1" };
  const call = new Call({ gate, scheduler, host, caller: gate.caller }, "call_1");
  call.start({ at: "propose", request });
  await new Promise(setImmediate);
  return { call, changes, withdrawn, executor };
}

interface StopCase {
  readonly state: CallState;
  readonly when: string;
  readonly tool: Tool;
  readonly later?: true;
  readonly before?: Tool;
  readonly status: string;
  readonly text: RegExp;
  readonly withdrawn?: readonly string[];
}

const ran: string[] = [];
const writes = { ...reads, effects: "write" } as const;
const execute = () => void ran.push("ran");

const stopCases: readonly StopCase[] = [
  {
    state: "proposed",
    when: "its arguments are checked",
    tool: { ...defineTool({ ...reads, name: "T", execute }), check: never },
    status: "cancelled",
    text: /stopped before it began: not now/,
  },
  {
    state: "waiting",
    when: "a user is asked",
    tool: defineTool({ ...reads, ...asks, name: "T", execute }),
    status: "cancelled",
    text: /stopped before it began: not now/,
    withdrawn: ["approval"],
  },
  {
    state: "waiting",
    when: "it is suspended",
    tool: defineTool({ ...reads, ...asks, name: "T", execute }),
    later: true,
    status: "cancelled",
    text: /stopped before it began: not now/,
  },
  {
    state: "approved",
    when: "another call holds its lock",
    tool: defineTool({ ...writes, name: "T", execute }),
    before: defineTool({ ...writes, name: "Before", execute: never }),
    status: "cancelled",
    text: /stopped before it began: not now/,
  },
  {
    state: "started",
    when: "its tool runs",
    tool: defineTool({ ...reads, name: "T", execute: never }),
    status: "cancelled",
    text: /had begun and may have acted/,
  },
  {
    state: "in_review",
    when: "its result is reviewed",
    tool: defineTool({ ...reads, ...reviewed, name: "T", execute: () => "secret" }),
    status: "result_rejected",
    text: /withheld/,
    withdrawn: ["review"],
  },
  {
    state: "in_review",
    when: "it is suspended",
    tool: defineTool({ ...reads, ...reviewed, name: "T", execute: () => "secret" }),
    later: true,
    status: "result_rejected",
    text: /withheld/,
  },
];

for (const { state, when, tool, status, text, withdrawn = [], ...more } of stopCases)
  test(`a stop in the state ${state} while ${when} ends the call as ${status}`, async () => {
    ran.length = 0;
    const world = await callOf(tool, more);
    const { call, changes } = world;
    assert.equal(call.state, state);
    call.stop("not now");
    call.stop("a second reason");
    const end = await call.ended;
    assert.ok(end.status === "settled");
    assert.equal(end.result.status, status);
    assert.match(end.result.finalText, text);
    assert.doesNotMatch(JSON.stringify(end.result), /secret|a second reason/);
    assert.equal(changes.filter(({ step }) => step === "settled").length, 1);
    assert.deepEqual(world.withdrawn, withdrawn);
    assert.deepEqual(ran, []);
    assert.equal(world.executor.gate.activeCalls.includes(call), false);
    world.executor.cancelAll();
  });

test("a stop in the state settled changes nothing", async () => {
  const { call, changes } = await callOf(
    defineTool({ ...reads, name: "T", execute: () => "done" }),
  );
  const { end } = call;
  call.stop("too late");
  assert.equal(call.end, end);
  assert.equal(end?.status === "settled" && end.result.status, "success");
  assert.deepEqual(
    changes.map(({ step }) => step),
    ["proposed", "started", "settled"],
  );
});

// Contract: executor-111
test("a stop during a commit takes effect after the commit", async () => {
  const written = Promise.withResolvers<boolean>();
  const changes: CallChange[] = [];
  const host: CallHost = {
    commit: (change) => (changes.push(change), change.step === "started" ? written.promise : true),
    request: () => "later",
    onOutput() {},
  };
  const { gate, scheduler } = executorWith([defineTool({ ...reads, name: "T", execute })]);
  const call = new Call({ gate, scheduler, host, caller: gate.caller }, "call_1");
  const request = { callId: "call_1", name: "T", args: {}, round: 0, idempotencyKey: "call_1" };
  ran.length = 0;
  call.start({ at: "propose", request });
  call.stop("not now");
  await new Promise(setImmediate);
  assert.equal(changes.at(-1)?.step, "started");
  written.resolve(true);
  const end = await call.ended;
  assert.equal(end.status === "settled" && end.result.status, "cancelled");
  assert.deepEqual(ran, []);
});

test("a call that another process owns does not call its tool", async () => {
  const host: CallHost = {
    commit: ({ step }) => step !== "started",
    request: () => "later",
    onOutput() {},
  };
  const { gate, scheduler } = executorWith([defineTool({ ...reads, name: "T", execute })]);
  const call = new Call({ gate, scheduler, host, caller: gate.caller }, "call_1");
  const request = { callId: "call_1", name: "T", args: {}, round: 0, idempotencyKey: "call_1" };
  ran.length = 0;
  const { end } = call.start({ at: "propose", request });
  assert.equal(end?.status === "settled" && end.result.status, "cancelled");
  assert.deepEqual(ran, []);
});

test("a suspended call continues with its answer, in this process or from its record", async () => {
  const tool = defineTool({ ...reads, ...asks, name: "T", execute: () => "done" });
  const { call, changes, executor } = await callOf(tool, { later: true });
  const { end } = call;
  assert.ok(end?.status === "suspended");
  assert.equal(executor.gate.activeCalls.length, 0);
  assert.equal(call.answer({ decision: "allow" }), true);
  assert.equal(call.answer({ decision: "refuse" }), false, "the first answer counts");
  assert.equal((await call.ended).status, "settled");

  const entry: CallEntry = { at: "suspended", pending: end.pending };
  const { gate, scheduler } = executor;
  const host: CallHost = {
    commit: (change) => changes.push(change) > 0,
    request: () => assert.fail("it was requested twice"),
    onOutput() {},
  };
  const resumed = new Call({ gate, scheduler, host, caller: gate.caller }, "call_1").start(entry);
  assert.equal(resumed.end?.status, "suspended");
  resumed.answer({ decision: "refuse", reason: "no" });
  const ended = await resumed.ended;
  assert.equal(ended.status === "settled" && ended.result.status, "execution_rejected");
});
