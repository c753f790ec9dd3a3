import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../model/message.ts";
import type { ModelEvent } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { toolError } from "../../tool/return-value.ts";
import { executeToolChain, runToolChain } from "../run-tool-chain.ts";
import type { ToolChainCallbacks } from "./callbacks.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

const text = { type: "object", properties: { text: { type: "string" } } } as const;
const echo = defineTool({
  ...reads,
  name: "Echo",
  parameters: text,
  execute: (args) => args["text"],
});
const bad = defineTool({
  ...reads,
  name: "Bad",
  execute: () => toolError({ code: "broken", message: "It is broken." }),
});
const call = (name: string, args: unknown = {}) => ({ calls: [{ name, args }] });

function run(
  script: readonly ScriptedStep[],
  callbacks: ToolChainCallbacks,
  more: Partial<ToolChainOptions> = {},
) {
  const model = new ScriptedModel(script);
  const contextMessages = [{ role: "user", content: "Go." }] as const;
  const executor = executorWith([echo, bad]);
  const { result } = runToolChain({ executor, model, contextMessages, callbacks, ...more });
  return { result, model };
}

// Contract: loop-26, loop-27
test("two callbacks report each call, with its name, arguments, id and result", async () => {
  const reports: unknown[] = [];
  const calls = [
    { name: "Echo", args: { text: "hi" } },
    { name: "Bad" },
    { name: "Nowhere" },
    { name: "Echo", args: "{broken" },
  ];
  await run([{ calls }, "Done."], {
    onToolCallStart: (name, args, id) => reports.push(["start", name, args, id]),
    onToolCallComplete: ({ status, finalText }, id) =>
      reports.push(["complete", status, finalText.slice(0, 5), id]),
  }).result;
  assert.deepEqual(
    reports.filter((entry) => Array.isArray(entry) && entry[0] === "start"),
    [
      ["start", "Echo", { text: "hi" }, "call_1"],
      ["start", "Bad", {}, "call_2"],
      ["start", "Nowhere", {}, "call_3"],
      ["start", "Echo", {}, "call_4"],
    ],
  );
  const completed = reports.filter((entry) => Array.isArray(entry) && entry[0] === "complete");
  assert.deepEqual(completed.map((entry) => (entry as string[]).toSpliced(2, 1)).toSorted(byText), [
    ["complete", "error", "call_2"],
    ["complete", "error", "call_4"],
    ["complete", "not_found", "call_3"],
    ["complete", "success", "call_1"],
  ]);
});

// Contract: loop-28, loop-29, loop-91
test("callbacks get the text of a step as it grows, and the running calls", async () => {
  const updates: unknown[] = [];
  const done: string[] = [];
  const script = [
    { text: "Let me look at this. ", ...call("Echo", { text: "hi" }) },
    "It says hi.",
  ];
  await run(script, {
    onLLMResponseUpdate: (content, running) =>
      updates.push([content, running.map(({ toolName }) => toolName)]),
    onLLMResponseComplete: (content) => done.push(content),
  }).result;
  assert.deepEqual(updates, [
    ["Let me look at t", []],
    ["Let me look at this. ", []],
    ["Let me look at this. ", ["Echo"]],
    ["Let me look at this. ", []],
    ["It says hi.", []],
  ]);
  assert.deepEqual(done, ["Let me look at this. ", "It says hi."]);
});

// Contract: loop-28, loop-59
test("the text of a retried step is discarded and reported again", async () => {
  const updates: string[] = [];
  const { result } = run([{ error: new Error("gone"), after: "Half an ans" }], {});
  const { state } = await result;
  const next = run(
    ["The answer."],
    { onLLMResponseUpdate: (content) => updates.push(content) },
    {
      resume: { state },
    },
  );
  assert.equal((await next.result).answer, "The answer.");
  assert.deepEqual(updates, ["The answer."]);
});

// Contract: loop-31
test("callbacks get errors with their phase", async () => {
  const phases: string[] = [];
  const onError: ToolChainCallbacks["onError"] = ({ code }, phase) =>
    phases.push(`${phase} ${code}`);
  const calls = [{ name: "Bad" }, { name: "Nowhere" }, { name: "Echo", args: "{broken" }];
  const failure = new ModelError({ code: "rate_limit", message: "Too many." });
  await run([{ calls }, { error: failure }], { onError }).result;
  assert.deepEqual(phases.toSorted(), [
    "arguments invalid_arguments",
    "model rate_limit",
    "tool broken",
    "tool tool_not_found",
  ]);
  phases.length = 0;
  await run(["", ""], { onError }).result;
  await run(["never"], { onError, onBeforeSendToLLM: () => assert.fail("no") }).result;
  await run(["never"], { onError }, { systemPrompt: () => assert.fail("no") }).result;
  await run(["never"], { onError }, { maxTokens: -1 }).result;
  assert.deepEqual(phases, [
    "final_response empty_answer",
    "before_send before_send_failed",
    "before_send system_prompt_failed",
    "chain invalid_limits",
  ]);
});

// Contract: loop-32
test("callbacks that throw or reject are reported, and do not stop the chain", async () => {
  const names = [
    "onToolCallStart",
    "onToolCallComplete",
    "onLLMResponseUpdate",
    "onLLMResponseComplete",
  ] as const;
  for (const fail of [
    () => {
      throw new Error("I am broken");
    },
    () => Promise.reject(new Error("I am broken")),
  ]) {
    for (const name of names) {
      const errors: string[] = [];
      const { result } = run([call("Echo", { text: "hi" }), "Done."], {
        [name]: fail,
        onError: ({ message }, phase) => errors.push(`${phase}: ${message}`),
      });
      const { status, answer, problems } = await result;
      assert.deepEqual([status, answer], ["completed", "Done."]);
      assert.ok(problems.length > 0 && problems.every(({ phase }) => phase === "callback"), name);
      assert.equal(errors[0], `callback: ${name} threw: I am broken`);
      assert.equal(errors.length, problems.length);
    }
  }
});

// Contract: loop-32
test("an onEvent or onError that throws neither stops the chain nor fills the memory", async () => {
  const fail = () => {
    throw new Error("I am broken");
  };
  const script = [call("Bad"), call("Bad", { n: 2 }), "Done. ".repeat(100)];
  const { result } = run(script, { onError: fail }, { onEvent: fail });
  const { status, problems } = await result;
  assert.equal(status, "completed");
  assert.equal(problems.length, 20);
  assert.equal(problems[0]?.message, "onEvent threw: I am broken");
});

// Contract: loop-32, loop-88
test("a chain runs without any callback", async () => {
  const { status } = await run([call("Echo", { text: "hi" }), "Done."], {}).result;
  assert.equal(status, "completed");
});

// Contract: loop-30, loop-89
test("onBeforeSendToLLM gets every request, including the last and repeated ones, and may change it", async () => {
  const seen: number[] = [];
  const stamp: Message = { role: "developer", content: "stamp" };
  const script = [call("Echo", { text: "a" }), call("Echo", { text: "b" }), "", "At last."];
  const { result, model } = run(
    script,
    {
      onBeforeSendToLLM: (messages) => {
        seen.push(messages.length);
        return [...messages, stamp];
      },
    },
    { maxRounds: 2 },
  );
  const { status, messages } = await result;
  assert.equal(status, "completed");
  assert.equal(seen.length, 4);
  for (const request of model.requests) assert.deepEqual(request.messages.at(-1), stamp);
  // Text that was added for a request is not part of the record.
  assert.equal(messages.complete.includes(stamp), false);
});

// Contract: loop-4, loop-30
test("changes that onBeforeSendToLLM makes within messages are sent, but change neither the record nor the caller's messages", async () => {
  const mine = { role: "user", content: [{ type: "text", text: "My secret." }] } as const;
  const hide = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value as { [key: string]: unknown }))
      if (typeof member === "string")
        Reflect.set(value, key, member.replaceAll("secret", "******"));
      else hide(member);
  };
  const { result, model } = run(
    [{ text: "A secret?", ...call("Echo", { text: "secret" }) }, "Yes."],
    { onBeforeSendToLLM: (messages) => hide(messages) },
    { contextMessages: [mine] },
  );
  const { messages, state, answer } = await result;
  assert.doesNotMatch(JSON.stringify(model.requests), /secret/);
  assert.match(JSON.stringify(model.requests[1]?.messages), /\*{6}.*\*{6}.*\*{6}.*\*{6}/);
  assert.equal(mine.content[0].text, "My secret.");
  assert.equal(answer, "A secret?\n\nYes.");
  assert.deepEqual(messages.complete[0], mine);
  const [asked, toolMessage] = messages.toolChain;
  assert.match(JSON.stringify(asked), /A secret.*secret/);
  assert.equal(toolMessage?.content, "secret");
  assert.doesNotMatch(JSON.stringify(state), /\*/);
});

// Contract: loop-26
test("callbacks that change a call's arguments change neither the run nor the record", async () => {
  const forge = (args: { readonly [key: string]: unknown } | undefined) =>
    args !== undefined && Reflect.set(args, "text", "forged");
  const { result, model } = run(
    [call("Echo", { text: "a" }), "Yes."],
    { onToolCallStart: (_name, args) => forge(args) },
    { onEvent: (event) => event.type === "call.proposed" && forge(event.args) },
  );
  const { toolCallHistory } = await result;
  assert.deepEqual(toolCallHistory[0]?.args, { text: "a" });
  assert.equal(model.requests[1]?.messages.at(-1)?.content, "a");
});

// Contract: loop-30
test("onBeforeSendToLLM may return nothing, or be asynchronous", async () => {
  const { result, model } = run(["Fine."], {
    onBeforeSendToLLM: async (messages) => {
      await Promise.resolve();
      void messages;
    },
  });
  assert.equal((await result).answer, "Fine.");
  assert.equal(model.requests[0]?.messages.at(-1)?.content, "Go.");
});

// Contract: loop-30
test("if onBeforeSendToLLM fails, nothing is sent, and the finished work is stored", async () => {
  let requests = 0;
  for (const broken of [() => assert.fail("no"), () => "not messages" as never]) {
    requests = 0;
    const { result, model } = run([call("Echo", { text: "a" }), "never"], {
      onBeforeSendToLLM: (messages) => (++requests === 1 ? messages : broken()),
    });
    const { status, error, toolCallHistory } = await result;
    assert.deepEqual([status, error?.code], ["error", "before_send_failed"]);
    assert.equal(model.requests.length, 1);
    assert.equal(toolCallHistory[0]?.status, "success");
  }
});

// Contract: loop-1, loop-4, loop-42, loop-46, loop-47
test("a first response continues like the loop's own, and its usage is counted once", async () => {
  const model = new ScriptedModel([
    { text: "It said hi.", usage: { inputTokens: 7, outputTokens: 3 } },
  ]);
  const first = { inputTokens: 20, outputTokens: 5 };
  const result = await executeToolChain(
    executorWith([echo]),
    {
      message: {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "Echo", arguments: '{"text":"hi"}' } },
        ],
      },
      usage: first,
    },
    { model, contextMessages: [{ role: "user", content: "Go." }] },
  );
  assert.equal(result.answer, "Let me see.\n\nIt said hi.");
  assert.deepEqual(result.usage, { inputTokens: 27, outputTokens: 8 });
  assert.deepEqual(first, { inputTokens: 20, outputTokens: 5 });
  const [entry] = result.toolCallHistory;
  assert.deepEqual(entry?.llmUsage, { inputTokens: 7, outputTokens: 3 });
  assert.deepEqual([entry?.roundIndex, entry?.toolName, entry?.args], [1, "Echo", { text: "hi" }]);
  assert.deepEqual(
    result.messages.complete.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  assert.deepEqual(result.messages.complete, [
    ...result.messages.context,
    ...result.messages.toolChain,
  ]);
});

// Contract: loop-20, loop-23, loop-87
test("the system prompt, the groups, a client's tools and switches may change between rounds", async () => {
  const executor = executorWith([echo]);
  executor.registerToolGroup({
    name: "more",
    tools: [defineTool({ ...reads, name: "More", execute: () => "more" })],
  });
  const on = defineTool({
    ...reads,
    name: "SwitchOn",
    execute: () => {
      executor.toggleGroupEnabled("more", true);
      return "on";
    },
  });
  executor.registerToolGroup({ name: "switches", tools: [on] });
  executor.toggleGroupEnabled("switches", true);
  const model = new ScriptedModel([call("SwitchOn"), call("More"), "Done."]);
  let round = 0;
  const result = await runToolChain({
    executor,
    model,
    contextMessages: [],
    systemPrompt: () => `Round ${++round}.`,
    groups: () => (round < 2 ? ["switches", "more"] : ["more"]),
    clientTools: () => [{ type: "function", function: { name: `Client${round}` } }],
  }).result;
  assert.equal(result.status, "completed");
  assert.deepEqual(
    model.requests.map(({ messages, tools }) => [
      messages[0]?.content,
      tools.map(({ function: f }) => f.name),
    ]),
    [
      ["Round 1.", ["SwitchOn", "Client0"]],
      ["Round 2.", ["More", "SwitchOn", "Client1"]],
      ["Round 3.", ["More", "Client2"]],
    ],
  );
});

// Contract: loop-33
test("a chain without readers, or with a reader that stopped, is not blocked", async () => {
  const deltas: ModelEvent[] = Array.from({ length: 30_000 }, () => ({
    type: "text-delta",
    text: "x",
  }));
  const finish: ModelEvent = {
    type: "finish",
    reason: "stop",
    usage: { inputTokens: 1, outputTokens: 1 },
  };
  const chain = runToolChain({
    executor: executorWith([]),
    model: new ScriptedModel([{ events: [...deltas, finish] }]),
    contextMessages: [],
  });
  const slow = chain.events()[Symbol.asyncIterator]();
  await slow.next();
  const { status, answer } = await chain.result;
  assert.deepEqual([status, answer.length], ["completed", 30_000]);
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a).localeCompare(JSON.stringify(b));
}
