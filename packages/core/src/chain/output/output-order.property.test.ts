import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import type { ChainEvent, StreamedItem } from "../journal/chain-event.ts";
import { runToolChain } from "../run-tool-chain.ts";
import { ToolExecutor } from "../../call/tool-executor.ts";
import type { ApprovalAdapter } from "../../policy/approval.ts";
import type { ToolChainResult } from "../options/tool-chain-result.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import type { OutputEvent } from "./output-queue.ts";
import { ToolOutputChannel } from "./tool-output-channel.ts";

const step = fc.oneof(
  fc.record({ type: fc.constant("write" as const), text: fc.string({ maxLength: 40 }) }),
  fc.record({ type: fc.constant("wait" as const), ticks: fc.nat(4) }),
  fc.constant({ type: "event" as const }),
  fc.constant({ type: "progress" as const }),
  fc.constant({ type: "throw" as const }),
);
const effects = fc.oneof(
  fc.constantFrom("read" as const, "write" as const, "exclusive" as const),
  fc.constantFrom("x", "y").map((key) => ({ locks: () => [key] })),
);
const producer = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  effects,
  asks: fc.boolean(),
  reviewed: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  visibility: fc.constantFrom("visible" as const, "hidden" as const, "final" as const),
  maxConcurrent: fc.constantFrom(undefined, 1),
});
const caller = fc.record({ producer, subCalls: fc.array(fc.nat(2), { maxLength: 2 }) });
const scenario = fc.record({
  rounds: fc.array(fc.array(caller, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 2,
  }),
  children: fc.array(producer, { minLength: 3, maxLength: 3 }),
  atOnce: fc.integer({ min: 1, max: 4 }),
  answers: fc.infiniteStream(
    fc.record({ allows: fc.boolean(), ticks: fc.nat(3), comes: fc.nat(9) }),
  ),
  /** For each call that starts: the ticks after which it is stopped, if at all. */
  stops: fc.infiniteStream(fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, fc.nat(8))),
  /** The number of events after which the turn is stopped, if at all. */
  aborts: fc.oneof({ weight: 5, arbitrary: fc.constant(Infinity) }, fc.nat(80)),
  order: fc.constantFrom("start" as const, "first-output" as const),
  limit: fc.constantFrom(0, 60, 65_536),
  totalLimit: fc.constantFrom(300, 1_000_000),
  /** Ticks between two reads; -1 reads only after the end. */
  pace: fc.integer({ min: -1, max: 3 }),
});

type Producer = typeof producer extends fc.Arbitrary<infer P> ? P : never;
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

async function ticks(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await Promise.resolve();
}

function toolFor(name: string, producer: Producer, subCalls: string[]) {
  const { steps, effects, asks, reviewed, visibility, maxConcurrent } = producer;
  return defineTool({
    name,
    description: "",
    effects,
    permission: {
      executionPolicy: asks ? "ask-always" : "auto",
      resultApprovalPolicy: reviewed ? "always" : "never",
    },
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(visibility === "hidden" && { output: "hidden" as const }),
    final: visibility === "final",
    execute: async (_args, context) => {
      const { output } = context;
      const open = subCalls.map((child) => context.callTool(child, {}));
      for (const step of steps) {
        if (step.type === "write") output.write(step.text);
        else if (step.type === "event") output.event("seen", { by: name });
        else if (step.type === "progress") output.progress({ message: name });
        else if (step.type === "wait") await ticks(step.ticks);
        else throw new Error("broken");
      }
      // When this function returns, the items that are still open end too.
      await open[0];
      return "done";
    },
  });
}

function toolsOf({ rounds, children }: Scenario): { tools: Tool[]; script: string[][] } {
  const tools = children.map((child, n) => toolFor(`Child${n}`, child, []));
  const script = rounds.map((calls, round) =>
    calls.map((one, n) => {
      const name = `Tool${round}_${n}`;
      const subCalls = one.subCalls.map((child) => `Child${child}`);
      tools.push(toolFor(name, one.producer, subCalls));
      return name;
    }),
  );
  return { tools, script };
}

async function play(given: Scenario) {
  const { tools, script } = toolsOf(given);
  const { order, limit, totalLimit, pace, atOnce, answers, stops, aborts } = given;
  const approvals: ApprovalAdapter = {
    async request() {
      const { allows, ticks: after, comes } = answers.next().value;
      await ticks(after);
      // One request in ten is never answered, and still waits when the chain stops.
      if (comes === 0) return { decision: "pending" };
      return allows ? { decision: "allow" } : { decision: "refuse" };
    },
    async review({ callId }) {
      const { allows, ticks: after } = answers.next().value;
      await ticks(after);
      const { text, others } = byCall(raw).get(callId) ?? { text: "", others: [] };
      const hasEvent = others.some(({ type }) => type === "call.event" || type === "call.progress");
      if (text !== "" || hasEvent) failures.push(`${callId} had visible output before its release`);
      return allows ? { decision: "release" } : { decision: "withhold" };
    },
  };
  const failures: string[] = [];
  // The time never changes, because the order must not depend on it.
  const clock = new FakeClock();
  const executor = new ToolExecutor({ approvals, clock, limits: { callsAtOnce: atOnce } });
  executor.registerToolGroup({ name: "test", tools });
  executor.toggleGroupEnabled("test", true);

  const raw: ChainEvent[] = [];
  const channel = new ToolOutputChannel({
    order,
    limit,
    totalLimit,
    replay: (after) => raw.slice(after),
  });
  const most = Math.min(totalLimit, limit * 100 + 300_000);
  const run = runToolChain({
    executor,
    model: new ScriptedModel([
      ...script.map((names) => ({ text: "next", calls: names.map((name) => ({ name })) })),
      "The end.",
    ]),
    contextMessages: [],
    onEvent: (event) => {
      raw.push(event);
      channel.push(event);
      if (channel.kept > most) failures.push(`${channel.kept} characters were kept`);
      if (raw.length === aborts) run.abort();
      if (event.type === "call.started") {
        const after = stops.next().value;
        if (after >= 0) void ticks(after).then(() => run.cancelCall(event.callId, "a test"));
      }
      if (event.type === "approval.requested" && event.approval.toolName.startsWith("Child"))
        // A running parent waits for its sub-call's answer, so the answer comes later.
        setImmediate(() => run.answer(event.approval.id, { decision: "allow" }));
    },
  });
  const received: OutputEvent<ChainEvent>[] = [];
  const read = async () => {
    for await (const event of channel.read()) {
      received.push(event);
      await ticks(Math.max(0, pace));
    }
  };
  const early = pace < 0 ? undefined : read();
  const result = await run.result;
  channel.end();
  await (early ?? read());
  assert.equal(channel.kept, 0);
  assert.deepEqual(failures, []);
  return { raw, received, result };
}

/** For each call, in the order of its first event: its text, and its other events. */
function byCall(events: readonly OutputEvent<ChainEvent>[]) {
  const items = new Map<string, string>();
  const calls = new Map<string, { text: string; others: ChainEvent[] }>();
  const of = (callId: string) => {
    const call = calls.get(callId) ?? { text: "", others: [] };
    calls.set(callId, call);
    return call;
  };
  for (const event of events) {
    if (event.type === "output.text") of(event.callId).text += event.text;
    else if (event.type === "item.start" && "callId" in event && event.kind !== "arguments")
      items.set(event.itemId, event.callId);
    else if (event.type === "item.end") {
      const callId = items.get(event.itemId);
      if (callId !== undefined) of(callId).text += event.text;
    } else if (isCallEvent(event)) of(event.callId).others.push(event);
  }
  return calls;
}

function isOfCall(item: StreamedItem): boolean {
  return item.kind === "output" || (item.kind === "text" && item.callId !== undefined);
}

/** Asserts that the answer is the received text of the model and of final calls, in that order. */
function assertAnswer(received: readonly OutputEvent<ChainEvent>[], result: ToolChainResult): void {
  const finals = new Map<string, string>();
  for (const event of received) {
    if (event.type !== "output.text" || event.final !== true) continue;
    finals.set(event.callId, (finals.get(event.callId) ?? "") + event.text);
  }
  const calls = new Map(result.state.calls.map((call) => [call.callId, call]));
  const isWhole = (callId: string) => calls.get(callId)?.status === "succeeded";
  const last = Math.max(0, ...result.state.calls.map(({ round }) => round));
  const isLast = (callId: string) => calls.get(callId)?.round === last;
  const words = [...finals].filter(([, text]) => text.trim() !== "");
  const answered = words.filter(([callId]) => isLast(callId) && isWhole(callId));
  if (result.status !== "completed" || answered.length === 0) return;
  // With the order "first-output", final calls can answer in another order than they started.
  for (const [, text] of answered) assert.ok(result.answer.includes(text));
  assert.ok(!result.answer.includes("The end."), "the model was asked again");
}

function isCallEvent(event: OutputEvent<ChainEvent>) {
  return (
    event.type === "call.started" ||
    event.type === "call.progress" ||
    event.type === "call.event" ||
    event.type === "call.settled"
  );
}

/**
 * The calls in the order in which they were the current output. A call appears each time it becomes
 * current.
 */
function outputOrder(
  received: readonly OutputEvent<ChainEvent>[],
  started: ReadonlySet<string>,
): string[] {
  const turns: string[] = [];
  for (const event of received) {
    const isOutput = event.type === "output.text" || isCallEvent(event);
    if (!isOutput || !started.has(event.callId)) continue;
    if (turns.at(-1) !== event.callId) turns.push(event.callId);
  }
  return turns;
}

// Contract: plugins-27, plugins-35
test("calls that run in parallel are read one after the other, complete and without duplicates", async () => {
  const run = fc.asyncProperty(scenario, async (given) => {
    const { raw, received, result } = await play(given);
    const ends = ["completed", "requires_action", ...(given.aborts < Infinity ? ["aborted"] : [])];
    assert.ok(ends.includes(result.status), result.status);
    const starts = raw.flatMap((event) => (event.type === "call.started" ? [event.callId] : []));
    const started = new Set(starts);

    const order = outputOrder(received, started);
    assert.equal(new Set(order).size, order.length, "a call was the current output twice");
    if (given.order === "start") assert.deepEqual(order, starts);
    else assert.deepEqual(order.toSorted(), starts.toSorted());

    assert.deepEqual(
      Object.fromEntries(byCall(received)),
      Object.fromEntries(byCall(raw)),
      "the written and the received output differ",
    );
    const isOfNoCall = (event: OutputEvent<ChainEvent>) =>
      event.type !== "output.text" && !isCallEvent(event);
    const items = new Set(
      raw.flatMap((one) => (one.type === "item.start" && isOfCall(one) ? one.itemId : [])),
    );
    const others = raw.filter(
      (one) => isOfNoCall(one) && !("itemId" in one && items.has(one.itemId)),
    );
    assert.deepEqual(received.filter(isOfNoCall), others);
    assert.equal(received.at(-1)?.type, raw.at(-1)?.type);
    assertRounds(received);
    assertAnswer(received, result);
  });
  await fc.assert(run, {
    numRuns: 60,
    plugins: [fc.interruptAfterTimeLimit(20_000, { failOnInterrupt: true })],
  });
});

/** Asserts that all output of a round's calls comes before the next round. */
function assertRounds(received: readonly OutputEvent<ChainEvent>[]): void {
  const roundOf = new Map<string, number>();
  let now = 0;
  for (const event of received) {
    if (event.type === "round.started") now = event.round;
    else if (event.type === "call.proposed") roundOf.set(event.callId, event.round);
    else if ("callId" in event && roundOf.has(event.callId))
      assert.equal(roundOf.get(event.callId), now);
  }
}
