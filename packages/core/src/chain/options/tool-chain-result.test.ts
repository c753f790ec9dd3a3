import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "../../model/model-error.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { runToolChain } from "../run-tool-chain.ts";
import { MemoryJournal } from "../journal/journal.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

const ok = defineTool({ ...reads, name: "Ok", execute: () => ({ fine: true }) });
const hangs = defineTool({ ...reads, name: "Hangs", execute: () => new Promise(() => {}) });
const calls = (name: string) => ({ calls: [{ name }] });

function run(
  script: readonly ScriptedStep[],
  more: Partial<ToolChainOptions> = {},
  executor = executorWith([ok, hangs]),
) {
  const model = new ScriptedModel(script);
  const contextMessages = [{ role: "user", content: "Go." }] as const;
  return { model, ...runToolChain({ executor, model, contextMessages, ...more }) };
}

// Contract: loop-50, loop-98
test("a model that does not answer in time ends the chain as timeout", async () => {
  const error = new ModelError({ code: "timeout", message: "No data arrived for two minutes." });
  const { status, error: failure, toolCallHistory } = await run([calls("Ok"), { error }]).result;
  assert.deepEqual([status, failure?.code, failure?.phase], ["timeout", "timeout", "model"]);
  assert.equal(toolCallHistory[0]?.status, "success");
});

// Contract: loop-18, loop-98
test("a signal that times out ends the chain as timeout, with its calls recorded", async () => {
  const { result } = run([calls("Hangs")], { signal: AbortSignal.timeout(5) });
  const { status, error, toolCallHistory } = await result;
  assert.deepEqual([status, error?.code], ["timeout", "timeout"]);
  assert.equal(toolCallHistory[0]?.status, "cancelled");
});

// Contract: loop-2, loop-18
test("a chain is aborted by its signal, its controller or its run, with the reason", async () => {
  for (const by of ["signal", "abortController", "abort"] as const) {
    const controller = new AbortController();
    const given =
      by === "abort"
        ? {}
        : by === "signal"
          ? { signal: controller.signal }
          : { abortController: controller };
    const started = Promise.withResolvers<void>();
    const onEvent: ToolChainOptions["onEvent"] = ({ type }) =>
      type === "call.started" && started.resolve();
    const chain = run([calls("Hangs")], { ...given, onEvent });
    await started.promise;
    if (by === "abort") chain.abort("enough of it");
    else controller.abort(new Error("enough of it"));
    const { status, error, toolCallHistory } = await chain.result;
    assert.deepEqual([status, error?.message], ["aborted", "enough of it"]);
    assert.equal(toolCallHistory[0]?.status, "cancelled");
  }
});

// Contract: loop-21
test("a chat's options reach every request; a forced tool choice reaches only the first", async () => {
  const chatOption = {
    temperature: 0.2,
    maxOutputTokens: 500,
    parallelToolCalls: false,
    toolChoice: { type: "function", name: "Ok" },
    providerOptions: { openai: { store: false } },
  } as const;
  const { model, result } = run([calls("Ok"), "Done."], { chatOption });
  assert.equal((await result).status, "completed");
  const { toolChoice, ...rest } = chatOption;
  for (const [at, { messages: _messages, tools: _tools, ...settings }] of model.requests.entries())
    assert.deepEqual(settings, at === 0 ? { ...rest, toolChoice } : rest);
});

// Contract: loop-20
test("the system prompt is the first message, and an empty prompt is omitted", async () => {
  const { model, result } = run(["Done."], { systemPrompt: "Be brief." });
  await result;
  assert.deepEqual(
    model.requests[0]?.messages.map(({ role }) => role),
    ["system", "user"],
  );
  const without = run(["Done."], { systemPrompt: "" });
  await without.result;
  assert.equal(without.model.requests[0]?.messages[0]?.role, "user");
});

// Contract: loop-22, loop-49
test("checkToolResults: false overrides a tool's own request for a review, but no rule", async () => {
  const reviewed = defineTool({
    ...reads,
    name: "Shy",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => "seen",
  });
  const rules = [{ tool: "test.Shy", result: "always" }] as const;
  for (const [checkToolResults, executor, status] of [
    [false, executorWith([reviewed]), "success"],
    [true, executorWith([reviewed]), "result_rejected"],
    [undefined, executorWith([reviewed]), "result_rejected"],
    [false, executorWith([reviewed], { rules }), "result_rejected"],
  ] as const) {
    const option = checkToolResults === undefined ? {} : { checkToolResults };
    const { result } = run([calls("Shy"), "Done."], option, executor);
    const [entry] = (await result).toolCallHistory;
    assert.equal(entry?.status, status);
    assert.equal(entry?.resultRejected, status === "result_rejected" ? true : undefined);
    if (status === "result_rejected") assert.notEqual(entry?.resultRejectReason, "");
  }
});

// Contract: loop-36, loop-46, loop-48, loop-51
test("the history has each call's times, its round, and the usage of the step that read its results", async () => {
  const clock = new FakeClock(1000);
  const slow = defineTool({
    ...reads,
    name: "Slow",
    execute: () => {
      clock.advance(40);
      return "slow";
    },
  });
  const usage = (n: number) => ({ inputTokens: n, outputTokens: n, cachedInputTokens: 1 });
  const { result } = run(
    [
      { ...calls("Slow"), usage: usage(1) },
      { ...calls("Slow"), usage: usage(2) },
      { text: "Done.", usage: usage(3) },
    ],
    {},
    executorWith([slow], { clock }),
  );
  const { toolCallHistory, usage: all, stats } = await result;
  assert.deepEqual(
    toolCallHistory.map(({ startTime, endTime, roundIndex, llmUsage }) => [
      startTime,
      endTime,
      roundIndex,
      llmUsage?.inputTokens,
    ]),
    [
      [1000, 1040, 1, 2],
      [1040, 1080, 2, 3],
    ],
  );
  assert.deepEqual(all, { inputTokens: 6, outputTokens: 6, cachedInputTokens: 3 });
  const { totalRounds, totalCalls, totalTime, startTime, endTime } = stats;
  assert.deepEqual(
    [totalRounds, totalCalls, totalTime, startTime, endTime],
    [3, 2, 80, 1000, 1080],
  );
});

// Contract: loop-48, loop-100
test("the history has the full result, or with a journal the text that the model read", async () => {
  const whole = await run([calls("Ok"), "Done."]).result;
  const [entry] = whole.toolCallHistory;
  assert.deepEqual(entry?.result?.status === "success" && entry.result.data, { fine: true });
  const kept = await run([calls("Ok"), "Done."], { journal: new MemoryJournal() }).result;
  const [row] = kept.toolCallHistory;
  assert.deepEqual(row?.result?.status === "success" && row.result.data, '{"fine":true}');
  assert.equal(row?.result?.cacheVarResult, entry?.result?.cacheVarResult);
});

// Contract: loop-50, loop-74
test("a chain whose end could not be stored does not succeed", async () => {
  const journal = new MemoryJournal();
  const { result } = run(["Done."], {
    journal: {
      commit: (writes) =>
        writes.some(({ type }) => type === "result")
          ? { status: "fenced", reason: "another process owns it" }
          : journal.commit(writes),
    },
  });
  const { status, error, answer } = await result;
  assert.deepEqual([status, error?.code, answer], ["error", "fenced", "Done."]);
});

test("a copied or serialized result includes the parts that are created on first read", async () => {
  const result = await run([calls("Ok"), "Fine."]).result;
  const copy = { ...result };
  assert.deepEqual(Object.keys(copy).toSorted(), Object.keys(result).toSorted());
  assert.match(copy.responseContent, /Fine\./);
  const { toolCallHistory, messages } = JSON.parse(JSON.stringify(result)) as typeof result;
  assert.deepEqual(toolCallHistory, result.toolCallHistory);
  assert.deepEqual(messages, result.messages);
});
