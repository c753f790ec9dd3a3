import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "../../chain/journal/chain-event.ts";
import { runToolChain } from "../../chain/run-tool-chain.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool, type ToolOptions } from "../../tool/define-tool.ts";
import type { ToolOutput } from "../../tool/tool-context.ts";
import { ToolExecutor, type ToolExecutorOptions } from "../tool-executor.ts";

const reads = {
  effects: "read",
  permission: { executionPolicy: "auto" },
  description: "",
} as const;

/** One call of a tool, and the output that was received. */
async function run(
  options: Partial<ToolOptions<never, unknown, unknown>>,
  more: ToolExecutorOptions = {},
) {
  const executor = new ToolExecutor(more);
  const tool = defineTool({ ...reads, name: "Writes", ...options });
  executor.registerToolGroup({ name: "test", tools: [tool] });
  executor.toggleGroupEnabled("test", true);
  const events: ChainEvent[] = [];
  const result = await runToolChain({
    executor,
    model: new ScriptedModel([{ calls: [{ name: "Writes" }] }, "done"]),
    contextMessages: [],
    onEvent: (event) => events.push(event),
  }).result;
  const whole = events.flatMap((event) =>
    event.type === "item.end" && event.text !== "done" && event.text !== "{}" ? [event.text] : [],
  );
  return { result, events, whole };
}

const count = (events: readonly ChainEvent[], type: ChainEvent["type"]) =>
  events.filter((event) => event.type === type).length;

// Contract: executor-24, plugins-13
test("a hidden tool's output is not shown; its call and its result are", async () => {
  const { events, whole, result } = await run({
    output: "hidden",
    execute: (_args, { output }) => {
      output.write("secret");
      output.progress({ message: "secret" });
      output.event("secret", "secret");
      return "the result";
    },
  });
  assert.doesNotMatch(JSON.stringify(events), /secret/);
  assert.deepEqual(whole, []);
  assert.equal(result.toolCallHistory[0]?.result?.finalText, "the result");
  assert.equal(count(events, "call.settled"), 1);
});

// Contract: plugins-20, plugins-30
test("an output opens with its first text and closes with the call, regardless of the tool", async () => {
  const { events, whole } = await run({
    execute: (_args, { output }) => {
      output.write("");
      output.write("so f");
      output.write("ar");
      throw new Error("broken");
    },
  });
  assert.deepEqual(whole, ["so far"]);
  const end = events.findIndex((event) => event.type === "item.end" && event.text === "so far");
  assert.equal(events[end + 1]?.type, "call.settled");
});

// Contract: plugins-30
test("a tool's output after its end is ignored", async () => {
  let late: ToolOutput | undefined;
  const { events, whole } = await run({
    timeoutMs: 5,
    execute: async (_args, { output }) => {
      late = output;
      output.write("in time");
      await new Promise((resolve) => setTimeout(resolve, 30));
      output.write("too late");
    },
  });
  const before = events.length;
  late?.write("much too late");
  late?.progress({ message: "late" });
  late?.event("late", null);
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.deepEqual(whole, ["in time"]);
  assert.equal(events.length, before);
  assert.equal(events.at(-1)?.type, "chain.ended");
});

// Contract: plugins-34
test("a tool's output is bounded: text as a whole, progress by time, events by number", async () => {
  const clock = new FakeClock();
  const { events, whole } = await run(
    {
      execute: (_args, { output }) => {
        for (let i = 0; i < 100; i++) output.write("0123456789");
        output.progress({ done: 1 });
        output.progress({ done: 2 });
        clock.advance(100);
        output.progress({ done: 3 });
        for (let i = 0; i < 1_010; i++) output.event("tick", i);
      },
    },
    { clock, limits: { writtenChars: 95 } },
  );
  assert.equal(whole[0]?.length, 95);
  assert.match(whole[0] ?? "", /^(0123456789){6}012\n\[… the rest is in the result …\]$/);
  assert.equal(count(events, "call.progress"), 2);
  const own = events.filter((event) => event.type === "call.event");
  assert.equal(own.length, 1_001);
  const last = own.at(-1);
  assert.deepEqual([last?.name, last?.data], ["capstan.events_omitted", { after: 1_000 }]);
});

// Contract: plugins-34
test("events are bounded in size: further events are omitted, and one event reports their number", async () => {
  const picture = "x".repeat(400);
  const { events } = await run(
    {
      execute: (_args, { output }) => {
        for (let n = 0; n < 5; n++) output.event("test.picture", { n, picture });
      },
    },
    { limits: { eventChars: 1_100 } },
  );
  const names = events.flatMap((event) => (event.type === "call.event" ? [event.name] : []));
  const partial = "test.picture";
  assert.deepEqual(names, [partial, partial, "capstan.events_omitted"]);
});

// Contract: plugins-48
test("a tool's output of any type becomes plain data, copied when it is written", async () => {
  const list = [1];
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const { events, whole } = await run({
    execute: (_args, context) => {
      // Tools without type checks can do this.
      const output: {
        write(text: unknown): void;
        progress(progress: unknown): void;
        event(name: unknown, data: unknown): void;
      } = context.output;
      output.write(5);
      output.progress({ message: "m".repeat(5_000), done: "half", total: 9, more: circular });
      output.event("n".repeat(500), { list });
      output.event(7, circular);
      output.event("none", undefined);
      list.push(2);
    },
  });
  assert.deepEqual(whole, ["5"]);
  const progress = events.find((event) => event.type === "call.progress");
  assert.equal(progress?.progress.message, undefined, "a cyclic value becomes a text");
  const callEvents = events.filter((event) => event.type === "call.event");
  assert.deepEqual(
    callEvents.map(({ name, data }) => [name.length, typeof data]),
    [
      [128, "object"],
      [1, "string"],
      [4, "object"],
    ],
  );
  assert.deepEqual(callEvents[0]?.data, { list: [1] });
  assert.ok(callEvents.every(({ callId }) => callId === "call_1"));
});

// Contract: plugins-78
test("a sub-call that waits for approval is stopped with its parent, and ends before it", async () => {
  const asks = defineTool({
    name: "Asks",
    description: "",
    permission: { executionPolicy: "ask-always" },
    execute: () => assert.fail("nobody allowed it"),
  });
  const parent = defineTool({
    ...reads,
    name: "Parent",
    timeoutMs: 5,
    execute: async (_args, context) => {
      // The parent's deadline is paused while a user decides.
      await context.callTool("Asks", {});
      const later = await context.callTool("Asks", {});
      assert.equal(later.status, "cancelled");
    },
  });
  const executor = new ToolExecutor({ approvals: { request: () => ({ decision: "pending" }) } });
  executor.registerToolGroup({ name: "test", tools: [asks, parent] });
  executor.toggleGroupEnabled("test", true);
  const events: ChainEvent[] = [];
  const running = runToolChain({
    executor,
    model: new ScriptedModel([{ calls: [{ name: "Parent" }] }, "done"]),
    contextMessages: [],
    onEvent: (event) => {
      events.push(event);
      if (event.type === "approval.requested")
        setTimeout(() => running.cancelCall("call_1", "a user stopped it"), 15);
    },
  });
  const result = await running.result;
  assert.equal(result.status, "completed");
  const ends = events.flatMap((event) => (event.type === "call.settled" ? [event.status] : []));
  assert.deepEqual(ends, ["cancelled", "cancelled"]);
  const asked = events.find((event) => event.type === "approval.requested");
  assert.equal(
    running.answer(asked?.approval.id ?? "", { decision: "allow", scope: "once" }),
    false,
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(events.at(-1)?.type, "chain.ended");
  assert.equal(count(events, "call.proposed"), 2);
});

// Contract: executor-110
test("a tool's text, progress and events reach the caller of execute", async () => {
  const executor = new ToolExecutor();
  const tool = defineTool({
    ...reads,
    name: "Writes",
    execute: (_args, { output }) => {
      output.write("working");
      output.progress({ message: "half", done: 1, total: 2 });
      output.event("picture", { width: 3 });
      return "done";
    },
  });
  const parent = defineTool({
    ...reads,
    name: "Parent",
    execute: async (_args, { callTool }) => (await callTool("Writes", {})).status,
  });
  executor.registerToolGroup({ name: "test", tools: [tool, parent] });
  executor.toggleGroupEnabled("test", true);
  const received: unknown[] = [];
  const onOutput = (_callId: string, output: unknown) => void received.push(output);
  await executor.execute("Writes", {}, { onOutput });
  const expected = [
    { type: "text", text: "working" },
    { type: "progress", progress: { message: "half", done: 1, total: 2 } },
    { type: "event", name: "picture", data: { width: 3 } },
  ];
  assert.deepEqual(received, expected);
  await executor.execute("Parent", {}, { onOutput });
  assert.deepEqual(received, [...expected, ...expected], "also of its sub-calls");
});
