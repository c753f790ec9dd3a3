import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, ModelEvent } from "../model/model.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import { MemoryJournal } from "./journal/journal.ts";
import { runToolChain, type ToolChainRun } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const script = [
  { text: "I look.", calls: [{ name: "Look", args: { at: "sea" } }, { name: "Lock" }] },
  "It is blue.",
];
const look = defineTool({ ...reads, name: "Look", execute: () => ({ colour: "blue" }) });

function run(more: Partial<ToolChainOptions> = {}): ToolChainRun {
  return runToolChain({
    executor: executorWith([look], { clock: new FakeClock() }),
    model: new ScriptedModel(script),
    contextMessages: [{ role: "user", content: "What is there?" }],
    runId: "run_1",
    ...more,
  });
}

test("a chain without listeners and journal has the same result as a chain with both", async () => {
  const unobserved = await run().result;
  const observed = await run({ onEvent: () => {} }).result;
  const { toolCallHistory: _whole, ...kept } = await run({ journal: new MemoryJournal() }).result;
  assert.match(unobserved.responseContent, /Look/);
  assert.deepEqual(unobserved, observed);
  const { toolCallHistory: _own, ...same } = unobserved;
  assert.deepEqual(same, kept);
});

test("a listener that subscribes immediately gets all events, and nothing runs before", async () => {
  let ran = 0;
  const soon = defineTool({ ...reads, name: "Look", execute: () => ++ran });
  const firstResponse = {
    message: {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "Look", arguments: "{}" } }],
    },
  } as const;
  const all: ChainEvent[] = [];
  const chain = run({
    executor: executorWith([soon]),
    firstResponse,
    onEvent: (event) => all.push(event),
  });
  const stream = chain.events();
  assert.deepEqual([ran, all], [0, []]);
  const received = await Array.fromAsync(stream);
  assert.equal(ran, 2);
  assert.deepEqual(received, all);
  assert.equal(received[0]?.type, "chain.started");
});

test("a listener that subscribes during a turn gets all later events", async () => {
  const received: ChainEvent[] = [];
  let reading: Promise<void> | undefined;
  const late = defineTool({
    ...reads,
    name: "Look",
    execute: () => {
      reading = (async () => {
        for await (const event of chain.events()) received.push(event);
      })();
      return "blue";
    },
  });
  const chain = run({ executor: executorWith([late]) });
  const all: ChainEvent[] = [];
  const { status } = await chain.result;
  assert.equal(status, "completed");
  await reading;
  await run({ executor: executorWith([look]), onEvent: (event) => all.push(event) }).result;
  const types = all.map(({ type }) => type);
  const from = types.indexOf("call.started") + 1;
  assert.deepEqual(
    received.map(({ type }) => type),
    types.slice(from),
  );
});

test("a call that restarts in the stream closes its first item exactly once", async () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield { type: "tool-call-start", id: "a", name: "Look" };
    yield { type: "tool-call-delta", id: "a", delta: "{" };
    yield { type: "tool-call-start", id: "b", name: "Look" };
    yield { type: "tool-call-start", id: "a", name: "Look" };
    yield { type: "tool-call-end", id: "a", name: "Look", arguments: "{}" };
    yield { type: "finish", reason: "tool_calls", usage };
  }
  async function* answer(): AsyncGenerator<ModelEvent> {
    yield { type: "text-delta", text: "Done." };
    yield { type: "finish", reason: "stop", usage };
  }
  let asked = 0;
  const model: Model = { id: "m", stream: () => (asked++ === 0 ? stream() : answer()) };
  const ends: string[] = [];
  const starts: string[] = [];
  await run({
    model,
    onEvent: (event) => {
      if (event.type === "item.start") starts.push(event.itemId);
      if (event.type === "item.end") ends.push(`${event.itemId} ${event.incomplete ?? "whole"}`);
    },
  }).result;
  const [first, second, again, words] = starts;
  assert.deepEqual(ends, [`${first} true`, `${again} whole`, `${second} true`, `${words} whole`]);
});
