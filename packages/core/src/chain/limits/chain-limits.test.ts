import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolExecutorOptions } from "../../call/tool-executor.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { toolError } from "../../tool/return-value.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { Model } from "../../model/model.ts";
import { executeToolChain, runToolChain } from "../run-tool-chain.ts";
import type { ToolChainCallbacks } from "../options/callbacks.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";

const ok = defineTool({ ...reads, name: "Ok", execute: () => "fine" });
const bad = defineTool({
  ...reads,
  name: "Bad",
  execute: () => toolError({ code: "broken", message: "It is broken." }),
});
const calls = (name: string, args: unknown = {}) => ({ calls: [{ name, args }] });

async function run(
  script: readonly ScriptedStep[],
  options: Partial<ToolChainOptions> = {},
  tools: readonly Tool[] = [ok, bad],
  executorOptions: ToolExecutorOptions = {},
) {
  const scripted = new ScriptedModel(script);
  const events: ChainEvent[] = [];
  const result = await runToolChain({
    executor: executorWith(tools, executorOptions),
    model: scripted,
    contextMessages: [{ role: "user", content: "Go." }],
    onEvent: (event) => events.push(event),
    ...options,
  }).result;
  return { result, events, requests: scripted.requests, model: scripted };
}

function priced(model: Model): Model {
  const prices = { input: 2, output: 10, cachedInput: 0.5 };
  return { id: model.id, prices, stream: (request, signal) => model.stream(request, signal) };
}

/** At each limit, the final answer is requested without tools, and the result names the limit. */
function endedAt(limit: string, { result, events, requests }: Awaited<ReturnType<typeof run>>) {
  assert.equal(result.status, "completed");
  assert.equal(result.limit?.limit, limit);
  const limitEvents = events.filter(({ type }) => type === "limit.reached");
  assert.equal(limitEvents.length, 1);
  const last = requests.at(-1);
  assert.deepEqual(last?.tools, []);
  assert.equal(last?.messages.at(-1)?.role, "developer");
  assert.match(String(last?.messages.at(-1)?.content), /No more tools may be called/);
}

// Contract: loop-5, loop-52
test("at the limit on rounds, the final answer is requested without tools", async () => {
  const ran = await run([calls("Ok"), calls("Ok"), "That is it."], { maxRounds: 2 });
  endedAt("rounds", ran);
  assert.equal(ran.result.answer, "That is it.");
  assert.equal(ran.result.stats.totalRounds, 3);
});

// Contract: loop-5
test("the default limit is ten rounds", async () => {
  const script = Array.from({ length: 10 }, () => calls("Ok"));
  const ran = await run([...script, "Ten."]);
  endedAt("rounds", ran);
  assert.equal(ran.requests.length, 11);
});

// Contract: loop-5
test("with a limit of zero rounds, not even the calls of a first response run", async () => {
  const model = new ScriptedModel(["Nothing was run."]);
  const result = await executeToolChain(
    executorWith([ok]),
    {
      message: {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "Ok", arguments: "{}" } }],
      },
    },
    { model, contextMessages: [], maxRounds: 0 },
  );
  assert.equal(result.status, "completed");
  assert.equal(result.toolCallHistory[0]?.status, "error");
  assert.match(String(model.requests[0]?.messages.at(-2)?.content), /round_limit.*It was not run/);
});

// Contract: loop-40, loop-96
test("calls in the final answer get an error result and do not run", async () => {
  const ran = await run([calls("Ok"), { text: "So far.", ...calls("Ok") }], { maxRounds: 1 });
  assert.equal(ran.result.status, "completed");
  assert.equal(ran.result.answer, "So far.");
  assert.deepEqual(
    ran.result.toolCallHistory.map(({ status }) => status),
    ["success", "error"],
  );
  assert.match(String(ran.result.messages.complete.at(-1)?.content), /It was not run/);
});

// Contract: loop-40
test("a final answer that contains only calls is requested again once, and then the chain ends with an error", async () => {
  const ran = await run([calls("Ok"), calls("Ok"), calls("Ok")], { maxRounds: 1 });
  assert.equal(ran.result.status, "error");
  assert.deepEqual(
    [ran.result.error?.code, ran.result.error?.phase],
    ["empty_answer", "final_response"],
  );
  assert.equal(ran.result.toolCallHistory.filter(({ status }) => status === "success").length, 1);
});

// Contract: loop-7
test("at the limit on calls, no tools are offered and further calls are rejected", async () => {
  const three = { calls: [{ name: "Ok" }, { name: "Ok" }, { name: "Ok" }] };
  const ran = await run([three, "Two were run."], { maxToolCalls: 2 });
  endedAt("calls", ran);
  assert.deepEqual(
    ran.result.toolCallHistory.map(({ result }) => result?.finalText.slice(0, 18)),
    ["fine", "fine", "Error (call_limit)"],
  );
});

test("at the limit on calls, a client's own tools are still offered", async () => {
  const clientTools = [{ type: "function", function: { name: "Here" } }] as const;
  const ran = await run([calls("Ok"), "Done."], { maxToolCalls: 1, clientTools });
  assert.equal(ran.result.limit, undefined);
  assert.equal(
    ran.requests[1]?.tools.some(({ function: f }) => f.name === "Here"),
    true,
  );
});

// Contract: loop-7
test("at the limit on tokens, further calls do not run", async () => {
  const usage = { inputTokens: 600, outputTokens: 400 };
  const ran = await run([{ ...calls("Ok"), usage }, "No tokens left."], { maxTokens: 1000 });
  endedAt("tokens", ran);
  assert.match(ran.result.toolCallHistory[0]?.result?.finalText ?? "", /token_limit/);
});

const noUsage = { usage: { inputTokens: 0, outputTokens: 0 } };

// Contract: loop-8
test("a limit on tokens estimates the usage of a model that reports none", async () => {
  const script = Array.from({ length: 5 }, () => ({ ...calls("Ok"), ...noUsage }));
  const ran = await run(
    [...script.slice(0, 2), { text: "No tokens left.", ...noUsage }],
    { maxTokens: 250 },
    [ok],
    { countTokens: () => 50 },
  );
  endedAt("tokens", ran);
  // A request with one message and one definition, and its answer; then a request with three more
  // messages.
  const rounds = ran.events.flatMap((event) => (event.type === "round.ended" ? [event.usage] : []));
  assert.deepEqual(rounds.slice(0, 2), [
    { inputTokens: 100, outputTokens: 50, estimated: true },
    { inputTokens: 200, outputTokens: 50, estimated: true },
  ]);
  assert.equal(ran.result.usage.estimated, true);
});

// Contract: loop-8
test("only missing parts of a usage are estimated, and a broken counter disables no limit", async () => {
  const usage = { inputTokens: 7, outputTokens: 0 };
  const ran = await run([{ ...calls("Ok"), usage }, "Out."], { maxTokens: 8 }, [ok], {
    countTokens: () => Number.NaN,
  });
  endedAt("tokens", ran);
  const [first] = ran.events.flatMap((e) => (e.type === "round.ended" ? [e.usage] : []));
  assert.equal(first?.inputTokens, 7);
});

// Contract: loop-8
test("a limit on cost applies to a model without usage, also after a first response", async () => {
  const script = new ScriptedModel([{ text: "Out.", ...noUsage }]);
  const { result } = await run([], {
    model: priced(script),
    maxCost: 0.000_01,
    firstResponse: { message: { role: "assistant", content: "x".repeat(100), tool_calls: [] } },
    inputMessages: [],
    contextMessages: [{ role: "user", content: "Go on." }],
  });
  assert.equal(result.usage.estimated, true);
  assert.ok((result.stats.cost ?? 0) > 0.000_01);
});

// Contract: loop-8
test("without such a limit, the usage is the model's, without estimates", async () => {
  const script = [{ text: "Done.", ...noUsage }];
  const countTokens = () => assert.fail("counted");
  const ran = await run(script, { maxTokens: Infinity }, [ok], { countTokens });
  assert.equal(ran.result.status, "completed");
  assert.deepEqual(ran.result.usage, noUsage.usage);
});

// Contract: loop-7, loop-51
test("a turn's cost is computed from the model's prices and can be limited", async () => {
  const usage = { inputTokens: 100_000, outputTokens: 10_000, cachedInputTokens: 80_000 };
  const script = new ScriptedModel([
    { ...calls("Ok"), usage },
    { text: "Enough.", usage },
  ]);
  const { result } = await run([], { model: priced(script), maxCost: 0.1 });
  assert.equal(result.limit?.limit, "cost");
  assert.equal(result.toolCallHistory[0]?.status, "error");
  // The sum of two steps. Each has 20,000 uncached input tokens at 2, 80,000 cached ones at 0.5,
  // and 10,000 output tokens at 10.
  assert.equal(Number(result.stats.cost?.toFixed(6)), 0.36);
  assert.deepEqual(script.requests[1]?.tools, []);
});

// Contract: loop-9
test("a limit on cost for a model without prices is rejected at the start", async () => {
  const { result, requests } = await run(["never"], { maxCost: 1 });
  assert.equal(result.status, "error");
  assert.equal(result.error?.code, "invalid_limits");
  assert.match(result.error?.message ?? "", /no prices are known for the model test\/scripted/);
  assert.equal(requests.length, 0);
});

// Contract: loop-10
test("an invalid limit is rejected at the start with its name", async () => {
  for (const [name, value] of [
    ["maxRounds", Number.NaN],
    ["maxRounds", 1.5],
    ["maxCallsPerRound", -3],
    ["maxToolCalls", 0.5],
    ["maxTokens", -1],
    ["maxCost", -0.1],
    ["maxDurationMs", "soon"],
    ["maxRepeatedFailures", null],
  ] as const) {
    const { result, requests } = await run(["never"], { [name]: value });
    assert.equal(result.error?.code, "invalid_limits");
    assert.match(
      result.error?.message ?? "",
      new RegExp(`${name} must be a (whole )?number from 0 on`),
    );
    assert.equal(requests.length, 0);
  }
});

// Contract: loop-7
test("at the time limit, running calls are stopped and the model answers without tools", async () => {
  const clock = new FakeClock();
  const started = Promise.withResolvers<void>();
  let signalled = false;
  const slow = defineTool({
    ...reads,
    name: "Slow",
    execute: (_args, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          signalled = true;
          reject(signal.reason as Error);
        });
      });
    },
  });
  const running = run([calls("Slow"), "It took too long."], { maxDurationMs: 5000 }, [slow], {
    clock,
  });
  await started.promise;
  clock.advance(5000);
  const ran = await running;
  endedAt("time", ran);
  assert.equal(signalled, true);
  assert.equal(ran.result.toolCallHistory[0]?.status, "cancelled");
  assert.match(ran.result.toolCallHistory[0]?.result?.finalText ?? "", /time is over/);
  assert.equal(clock.pending, 0);
});

/** A model that writes some text and then stalls. */
function stallingModel(): { readonly model: Model; readonly asked: Promise<void> } {
  const asked = Promise.withResolvers<void>();
  const model: Model = {
    id: "test/silent",
    async *stream() {
      yield { type: "text-delta", text: "I think" };
      asked.resolve();
      await new Promise(() => {});
    },
  };
  return { model, asked: asked.promise };
}

// Contract: loop-11
test("a model that is answering at the time limit is stopped: a timeout with its text", async () => {
  const clock = new FakeClock();
  const { model, asked } = stallingModel();
  const running = run([], { model, maxDurationMs: 5000 }, [ok], { clock });
  await asked;
  clock.advance(5000);
  const { result } = await running;
  assert.deepEqual([result.status, result.error?.code], ["timeout", "timeout"]);
  assert.match(result.error?.message ?? "", /5 seconds had passed before the model answered/);
  assert.equal(result.answer, "I think");
  assert.equal(clock.pending, 0);
});

/** A callback that never resolves, and the signal that it got. */
function hangingHook() {
  const asked = Promise.withResolvers<AbortSignal>();
  const onBeforeSendToLLM: ToolChainCallbacks["onBeforeSendToLLM"] = (_messages, { signal }) => {
    asked.resolve(signal);
    return new Promise(() => {});
  };
  return { callbacks: { onBeforeSendToLLM }, asked: asked.promise };
}

// Contract: loop-12
test("an onBeforeSendToLLM that hangs is stopped at the time limit", async () => {
  const clock = new FakeClock();
  const { callbacks, asked } = hangingHook();
  const running = run([], { callbacks, maxDurationMs: 5000 }, [ok], { clock });
  const signal = await asked;
  clock.advance(5000);
  const { result, requests } = await running;
  assert.deepEqual([result.status, result.error?.code], ["timeout", "timeout"]);
  assert.deepEqual([result.error?.phase, requests.length], ["before_send", 0]);
  assert.match(result.error?.message ?? "", /5 seconds had passed before onBeforeSendToLLM/);
  assert.equal(signal.aborted, true);
  assert.equal(clock.pending, 0);
});

// Contract: loop-12
test("an onBeforeSendToLLM that hangs is stopped with its turn, with or without a time limit", async () => {
  for (const limits of [{}, { maxDurationMs: 5000 }]) {
    const clock = new FakeClock();
    const { callbacks, asked } = hangingHook();
    const abortController = new AbortController();
    const running = run([], { callbacks, abortController, ...limits }, [ok], { clock });
    const signal = await asked;
    abortController.abort();
    assert.equal((await running).result.status, "aborted");
    assert.equal(signal.aborted, true);
    assert.equal(clock.pending, 0);
  }
});

// Contract: loop-11
test("the last answer after the time limit has exactly a minute", async () => {
  const clock = new FakeClock();
  const { model, asked } = stallingModel();
  const running = run([], { model, maxDurationMs: 0 }, [ok], { clock });
  await asked;
  let ended = false;
  void running.then(() => (ended = true));
  clock.advance(59_999);
  await new Promise(setImmediate);
  assert.equal(ended, false);
  clock.advance(1);
  assert.equal((await running).result.status, "timeout");
});

// Contract: loop-17
test("the model gets advice on a repeatedly failing call, and then no more calls run", async () => {
  const script = [
    calls("Bad", { b: 1, a: 2 }),
    calls("Bad", '{ "a": 2, "b": 1 }'),
    calls("Bad", { a: 2, b: 1 }),
  ];
  const ran = await run([...script, "It is broken."]);
  endedAt("repeats", ran);
  const notes = ran.requests
    .map(({ messages }) => messages.at(-1))
    .map((m) => (m?.role === "developer" ? m.content : ""));
  assert.equal(notes[1], "");
  assert.match(notes[2] ?? "", /^Bad has now failed 2 times in this turn with the same arguments/);
  assert.match(notes[3] ?? "", /^Bad failed 3 times with the same arguments\. No more tools/);
});

// Contract: loop-17
test("the number of repeated failures can be set, and the limit removed", async () => {
  const twice = [calls("Bad"), calls("Bad"), "Two."];
  endedAt("repeats", await run(twice, { maxRepeatedFailures: 2 }));
  const often = [...Array.from({ length: 6 }, () => calls("Bad")), "Six."];
  const ran = await run(often, { maxRepeatedFailures: Infinity });
  assert.equal(ran.result.limit, undefined);
});

// Contract: loop-17
test("calls with other arguments, a success in between, and retryable failures are not repeated failures", async () => {
  let n = 0;
  const sometimesFailing = defineTool({
    ...reads,
    name: "Moody",
    execute: () => (++n % 3 === 0 ? "well" : toolError({ code: "no", message: "No." })),
  });
  const busy = defineTool({
    ...reads,
    name: "Busy",
    execute: () => toolError({ code: "busy", message: "Busy.", retryable: true }),
  });
  const args = [1, 2, 3, 4].map((a) => calls("Bad", { a }));
  const script = [
    ...args,
    ...[1, 2, 3, 4, 5].map(() => calls("Moody")),
    ...[1, 2, 3, 4].map(() => calls("Busy")),
  ];
  const ran = await run([...script, "Done."], { maxRounds: 20 }, [bad, sometimesFailing, busy]);
  assert.equal(ran.result.limit, undefined);
  assert.equal(ran.result.answer, "Done.");
});

test("an unknown tool and broken arguments are repeated failures too", async () => {
  for (const call of [calls("Nowhere"), calls("Ok", "{broken")]) {
    const ran = await run([call, call, call, "No."]);
    endedAt("repeats", ran);
  }
});

// Contract: loop-7
test("earlier calls and failures are counted when a turn resumes", async () => {
  const first = await run([calls("Bad"), { error: new Error("gone") }], { maxToolCalls: 2 });
  assert.equal(first.result.status, "error");
  const state = JSON.parse(JSON.stringify(first.result.state)) as typeof first.result.state;
  const next = await run([calls("Bad"), "Over."], {
    maxToolCalls: 2,
    maxRepeatedFailures: 2,
    resume: { state },
  });
  assert.equal(next.result.limit?.limit, "repeats");
  const third = await run([{ calls: [{ name: "Ok" }, { name: "Ok" }] }, "Over."], {
    maxToolCalls: 2,
    resume: { state },
  });
  assert.deepEqual(
    third.result.toolCallHistory.map(({ status }) => status),
    ["error", "success", "error"],
  );
});
