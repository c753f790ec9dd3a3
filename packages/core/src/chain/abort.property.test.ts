import assert from "node:assert/strict";
import { test } from "node:test";
import { chainProblems } from "../testing/chain-problems.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { newWorld, richExecutor, richModel, type World } from "../testing/rich-chain.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import type { ChainState } from "./journal/chain-result.ts";
import { resumeToolChain, runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const contextMessages = [{ role: "user", content: "Go." }] as const;

/** Runs the rich chain and aborts it at its event number `at`. */
async function abortedAt(at: number, world: World, more: Partial<ToolChainOptions> = {}) {
  const abortController = new AbortController();
  const events: ChainEvent[] = [];
  if (at < 0) abortController.abort();
  const result = await runToolChain({
    executor: richExecutor(world),
    model: richModel(),
    contextMessages,
    runId: "run",
    abortController,
    onEvent: (event) => {
      if (events.length === at) abortController.abort();
      events.push(event);
    },
    ...more,
  }).result;
  return { result, events };
}

const whole = await abortedAt(Infinity, newWorld());

/** The chain, aborted before it began and at each of its events. */
async function* cuts() {
  for (let at = -1; at < whole.events.length; at++) {
    const world = newWorld();
    yield { at, world, ...(await abortedAt(at, world)) };
  }
}

test("the chain of these tests has every kind of event", () => {
  assert.equal(whole.result.status, "completed");
  assert.equal(whole.result.answer, "Step 0.\n\nStep 1.\n\nStep 2.\n\nStep 3.");
  assert.deepEqual(chainProblems(whole.events, whole.result), []);
  const types = new Set(whole.events.map(({ type }) => type));
  for (const type of ["approval.requested", "approval.answered", "call.progress"] as const)
    assert.ok(types.has(type), type);
  const outcomes = new Set(whole.result.toolCallHistory.map(({ status }) => status));
  assert.deepEqual([...outcomes].toSorted(), ["error", "not_found", "success"]);
  assert.ok(whole.result.state.calls.some(({ retries }) => retries !== undefined));
  assert.ok(whole.result.state.calls.some(({ parentCallId }) => parentCallId !== undefined));
});

// Contract: loop-25, loop-39, loop-52, loop-92, loop-94
test("a chain that is aborted at any event ends immediately with a complete record, and no work continues", async () => {
  // An abort after the complete answer is too late.
  const answerEnd = whole.events.findLastIndex(({ type }) => type === "item.end");
  for await (const { at, world, result, events } of cuts()) {
    if (at < answerEnd) assert.equal(result.status, "aborted", `aborted at event ${at}`);
    assert.equal(world.running, 0, `a tool continues after event ${at}`);
    assert.deepEqual(chainProblems(events, result), [], `aborted at event ${at}`);
    assert.deepEqual(JSON.parse(JSON.stringify(result.state)), result.state);
    assert.equal(result.answer.replaceAll("\n\n", ""), shownText(events), `aborted at event ${at}`);
  }
});

test("an abort at the start of one of several calls ends each call once", async () => {
  const executor = executorWith([
    defineTool({ ...reads, name: "Alone", effects: "exclusive", execute: async () => "done" }),
    defineTool({ ...reads, name: "Beside", execute: async () => "done" }),
  ]);
  const names = ["Alone", "Beside", "Beside", "Beside"];
  const events: ChainEvent[] = [];
  const run = runToolChain({
    executor,
    model: new ScriptedModel([{ calls: names.map((name) => ({ name })) }, "The end."]),
    contextMessages,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "call.started" && event.callId === "call_2") run.abort();
    },
  });
  const result = await run.result;
  assert.equal(result.status, "aborted");
  assert.deepEqual(chainProblems(events, result), []);
  const started = events.flatMap((one) => (one.type === "call.started" ? [one.callId] : []));
  assert.deepEqual(started, ["call_1", "call_2"]);
});

// Contract: loop-59, loop-99
test("a chain that was aborted at any event resumes to its end, and repeats no ended call", async () => {
  for await (const { at, world, result } of cuts()) {
    if (result.status !== "aborted") continue;
    const state = JSON.parse(JSON.stringify(result.state)) as ChainState;
    const done = state.calls.filter(({ status }) => status === "succeeded");
    const before = new Map(world.entered);
    const events: ChainEvent[] = [];
    const resumed = await resumeToolChain(richExecutor(world), state, {
      model: richModel(),
      contextMessages,
      runId: "run",
      onEvent: (event) => events.push(event),
    }).result;
    assert.equal(resumed.status, "completed", `aborted at event ${at}`);
    assert.match(resumed.answer, /Step 3\.$/);
    for (const { idempotencyKey: key, name } of done)
      assert.equal(world.entered.get(key), before.get(key), `${name} was repeated after ${at}`);
    for (const [key, times] of world.effects) assert.equal(times, 1, key);
    assert.deepEqual(messageIds(resumed.messages.complete), [
      ...new Set(messageIds(resumed.messages.complete)),
    ]);
  }
});

// Contract: loop-39
test("an abort during onBeforeSendToLLM ends the chain, and nothing is sent", async () => {
  const abortController = new AbortController();
  let sent = 0;
  const model = richModel();
  const result = await runToolChain({
    executor: richExecutor(newWorld()),
    model: {
      id: model.id,
      stream: (request, signal) => {
        sent++;
        return model.stream(request, signal);
      },
    },
    contextMessages,
    abortController,
    callbacks: {
      onBeforeSendToLLM: () => {
        setImmediate(() => abortController.abort());
        return new Promise(() => {});
      },
    },
  }).result;
  assert.equal(result.status, "aborted");
  assert.equal(sent, 0);
});

/** The text that a reader of the events has seen. */
function shownText(events: readonly ChainEvent[]): string {
  const texts = new Set<string>();
  let shown = "";
  for (const event of events) {
    if (event.type === "item.start" && event.kind === "text") texts.add(event.itemId);
    if (event.type === "item.delta" && texts.has(event.itemId)) shown += event.delta;
  }
  return shown;
}

function messageIds(messages: Awaited<typeof whole>["result"]["messages"]["complete"]) {
  return messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
}
