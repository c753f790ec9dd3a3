import assert from "node:assert/strict";
import { test } from "node:test";
import { messageProblems } from "../../testing/chain-problems.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { Message } from "../../model/message.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { executeToolChain, runToolChain } from "../run-tool-chain.ts";
import { type CommitOutcome, MemoryJournal } from "../journal/journal.ts";
import type { FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";

function world() {
  const ran: unknown[] = [];
  const echo = defineTool({
    ...reads,
    name: "Echo",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    execute: ({ n }) => {
      ran.push(n);
      return n;
    },
  });
  return { ran, executor: executorWith([echo]) };
}

const call = (id: string, n: number, name = "Echo") =>
  ({ id, type: "function", function: { name, arguments: `{"n":${n}}` } }) as const;

async function run(more: { readonly [key: string]: unknown }) {
  const { ran, executor } = world();
  const model = new ScriptedModel(["Done.", "Done."]);
  const journal = new MemoryJournal();
  const options = { executor, model, contextMessages: [], journal, ...more } as ToolChainOptions;
  return { ran, model, journal, result: await runToolChain(options).result };
}

// Contract: loop-68
test("invalid messages are rejected with their path: nothing runs, nothing is sent or written", async () => {
  const bad: readonly (readonly [{ readonly [key: string]: unknown }, RegExp])[] = [
    [{ contextMessages: undefined }, /contextMessages is undefined/],
    [{ contextMessages: "x" }, /contextMessages is "x"/],
    [{ contextMessages: [null] }, /contextMessages\[0\] is null/],
    [{ contextMessages: [{ role: "robot", content: "x" }] }, /\[0\]\.role is "robot"/],
    [{ inputMessages: [{ role: "user" }] }, /inputMessages\[0\]\.content is undefined/],
    ...[
      null,
      "text",
      { type: "text" },
      { type: "image" },
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
      { type: "file", name: "a" },
      { type: "link" },
    ].map(
      (part) =>
        [
          { contextMessages: [{ role: "user", content: [{ type: "text", text: "x" }, part] }] },
          /contextMessages\[0\]\.content\[1\] is .*such as \{"type":"text"/,
        ] as const,
    ),
    [{ inputMessages: [{ role: "user", content: [null] }] }, /inputMessages\[0\]\.content\[0\]/],
    [
      {
        contextMessages: [
          { role: "assistant", content: "", tool_calls: [null] },
          { role: "tool", content: "x", tool_call_id: "a" },
        ],
      },
      /tool_calls\[0\] is null/,
    ],
    [{ contextMessages: [{ role: "tool", content: "x" }] }, /\[0\]\.tool_call_id is undefined/],
    [
      { contextMessages: [{ role: "tool", content: "x", tool_call_id: "a", parts: [null] }] },
      /\[0\]\.parts\[0\] is null/,
    ],
    [
      { contextMessages: [{ role: "assistant", content: "x", reasoning: [null] }] },
      /\[0\]\.reasoning\[0\] is null/,
    ],
    [{ firstResponse: null }, /firstResponse\.message is undefined/],
    [{ firstResponse: { message: { role: "user", content: "x" } } }, /role is "user"/],
    [
      { firstResponse: { message: { role: "assistant", content: null, tool_calls: [{}] } } },
      /tool_calls\[0\]\.function is undefined/,
    ],
  ];
  for (const [more, problem] of bad) {
    const { ran, model, journal, result } = await run(more);
    assert.deepEqual([result.status, result.error?.code], ["error", "invalid_messages"]);
    assert.match(result.error?.message ?? "", problem);
    assert.deepEqual([ran, model.requests.length, journal.writes.length], [[], 0, 0]);
  }
});

// Contract: loop-68
test("an OpenAI answer without text can be continued", async () => {
  const message = { role: "assistant", content: null, tool_calls: [call("a", 1)] };
  const { executor, ran } = world();
  const model = new ScriptedModel(["Done."]);
  const context = { role: "assistant", content: null, tool_calls: null } as unknown as Message;
  const result = await executeToolChain(executor, { message } as unknown as FirstResponse, {
    model,
    contextMessages: [{ role: "user", content: "Go." }, context],
  });
  assert.deepEqual([result.status, ran], ["completed", [1]]);
  assert.deepEqual(model.requests[0]?.messages[1], { role: "assistant", content: "" });
});

// Contract: loop-68
test("an OpenAI tool message without a name gets its call's name", async () => {
  const toolResult = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });
  const tool_calls = [call("a", 1, "Look"), call("b", 2, "Lock")];
  const asks = { role: "assistant", content: null, tool_calls };
  const { model } = await run({
    contextMessages: [toolResult("z"), asks, toolResult("b"), toolResult("a")],
  });
  const names = model.requests[0]?.messages.map(
    (message) => message.role === "tool" && message.name,
  );
  assert.deepEqual(names, ["unnamed", false, "Lock", "Look"]);
});

// Contract: loop-68
test("reasoning as a text or null, as some servers send it, is accepted", async () => {
  const withReasoning = (reasoning: unknown) => ({ role: "assistant", content: "Hm.", reasoning });
  const { model } = await run({
    contextMessages: [withReasoning("I think."), withReasoning(null)],
  });
  assert.deepEqual(model.requests[0]?.messages, [
    { role: "assistant", content: "Hm.", reasoning: [{ text: "I think." }] },
    { role: "assistant", content: "Hm." },
  ]);
});

// Contract: loop-84
test("calls of a first answer get unique ids and valid names", async () => {
  const tool_calls = [call("a", 1), call("a", 2), call("an id!", 3), call("b", 4, "no name!")];
  const message = { role: "assistant", content: "", tool_calls } as const;
  const { ran, result } = await run({ firstResponse: { message } });
  assert.deepEqual(ran, [1, 2, 3]);
  assert.deepEqual(messageProblems(result.messages.complete), []);
  assert.equal(result.toolCallHistory.length, 4);
  for (const { callId, toolName } of result.toolCallHistory)
    assert.match(`${callId} ${toolName}`, /^[\w-]{1,64} [\w-]{1,64}$/);
});

// Contract: loop-84
test("an id of an earlier turn is not used again", async () => {
  const contextMessages: readonly Message[] = [
    { role: "assistant", content: "", tool_calls: [call("call_1", 0)] },
    { role: "tool", tool_call_id: "call_1", name: "Echo", content: "0" },
    { role: "assistant", content: "Zero." },
    { role: "user", content: "Again." },
  ];
  const model = new ScriptedModel([{ calls: [{ name: "Echo", args: { n: 1 } }] }, "One."]);
  const { result } = await run({ contextMessages, model });
  assert.deepEqual(messageProblems(result.messages.complete), []);
});

// Contract: loop-68
test("an invalid system prompt, and invalid messages from onBeforeSendToLLM, are not sent", async () => {
  for (const systemPrompt of [5, () => Promise.resolve("x"), () => ({})]) {
    const { result, model } = await run({ systemPrompt });
    assert.deepEqual(
      [result.error?.code, result.error?.phase],
      ["system_prompt_failed", "before_send"],
    );
    assert.equal(model.requests.length, 0);
  }
  for (const given of [null, "x", [null], [{ role: "robot", content: "" }], [{ role: "user" }]]) {
    const { result, model } = await run({ callbacks: { onBeforeSendToLLM: () => given } });
    assert.equal(result.error?.code, "before_send_failed");
    assert.match(result.error?.message ?? "", /its return value/);
    assert.equal(model.requests.length, 0);
  }
});

test("a turn whose offer function throws ends with that error", async () => {
  const fails = () => {
    throw new Error("no such list");
  };
  for (const more of [{ groups: fails }, { clientTools: fails }, { allowTool: fails }]) {
    const { result, model } = await run(more);
    assert.deepEqual([result.status, model.requests.length], ["error", 0]);
    assert.match(result.error?.message ?? "", /groups, clientTools or allowTool.*no such list/);
  }
});

// Contract: loop-70
test("invalid values for groups and required approvals run nothing", async () => {
  const later = async () => false;
  for (const [more, expected] of [
    [{ allowTool: later }, /allowTool returned .* for test\.Echo.*true or false/],
    [{ allowTool: () => "no" }, /allowTool returned "no" for test\.Echo/],
    [{ requireApproval: () => "allways" }, /requireApproval is "allways" for test\.Echo/],
    [{ requireApproval: later }, /requireApproval is .* for test\.Echo.*always.*never/],
    [{ requireApproval: () => assert.fail("no list") }, /requireApproval threw.*no list/],
  ] as const) {
    const model = new ScriptedModel([{ calls: [{ name: "Echo", args: { n: 1 } }] }, "One."]);
    const { result } = await run({ ...more, model });
    assert.deepEqual([result.status, result.error?.code], ["error", "invalid_options"]);
    assert.match(result.error?.message ?? "", expected);
    for (const { status } of result.toolCallHistory) assert.notEqual(status, "success");
  }
  for (const nothing of [undefined, null]) {
    const model = new ScriptedModel([{ calls: [{ name: "Echo", args: { n: 1 } }] }, "One."]);
    const { result } = await run({ requireApproval: () => nothing, allowTool: () => true, model });
    assert.equal(result.toolCallHistory[0]?.status, "success");
    const none = await run({ allowTool: () => nothing });
    assert.deepEqual(none.model.requests[0]?.tools, []);
  }
});

// Contract: loop-70
test("if requireApproval throws, no call of the round runs, and all are recorded", async () => {
  const { ran, executor } = world();
  let asked = 0;
  const calls = [1, 2, 3].map((n) => ({ name: "Echo", args: { n } }));
  const { status, toolCallHistory, messages } = await runToolChain({
    executor,
    model: new ScriptedModel([{ calls }]),
    contextMessages: [],
    requireApproval: () => (++asked === 2 ? assert.fail("no list") : undefined),
  }).result;
  assert.equal(status, "error");
  assert.deepEqual(ran, []);
  assert.deepEqual(
    toolCallHistory.map((call) => call.status),
    ["cancelled", "cancelled", "cancelled"],
  );
  assert.deepEqual(messageProblems(messages.complete), []);
  const results = messages.complete.filter(({ role }) => role === "tool");
  for (const { content } of results) assert.match(String(content), /stopped before it began/);
  assert.match(String(results[1]?.content), /: requireApproval threw for test\.Echo: no list\.$/);
});

// Contract: loop-69
test("a turn accepts only new messages of the user or the program, not earlier answers", async () => {
  const earlier: Message = { role: "assistant", content: "Of before." };
  const given: Message = { role: "tool", tool_call_id: "a", name: "Echo", content: "1" };
  for (const message of [earlier, given]) {
    const { result, model } = await run({ inputMessages: [message] });
    assert.deepEqual([result.status, result.error?.code], ["error", "invalid_messages"]);
    assert.match(result.error?.message ?? "", /inputMessages\[0\]\.role is ".*contextMessages/);
    assert.equal(model.requests.length, 0);
  }
  const { result } = await run({
    contextMessages: [earlier],
    inputMessages: [{ role: "user", content: "Go." }],
  });
  assert.equal(result.status, "completed");
  assert.doesNotMatch(result.answer, /before/);
});

// Contract: loop-71
test("a journal's outcome must be valid, and may be in a custom promise", async () => {
  const odd = await run({ journal: { commit: () => undefined } });
  assert.deepEqual([odd.result.status, odd.result.error?.code], ["error", "journal_failed"]);
  const committed: CommitOutcome = { status: "committed" };
  const later = {
    // oxlint-disable-next-line unicorn/no-thenable -- the promise of another library
    commit: () => ({ then: (resolve: (outcome: CommitOutcome) => void) => resolve(committed) }),
  };
  assert.equal((await run({ journal: later })).result.status, "completed");
});

// Contract: loop-71
test("a limit on cost with invalid prices is rejected, and costs are not counted", async () => {
  for (const prices of [{}, null, { input: NaN, output: 1 }, { input: -1, output: 1 }]) {
    const priced = () => Object.assign(new ScriptedModel(["Done."]), { prices });
    const { result } = await run({ model: priced(), maxCost: 1 });
    assert.equal(result.error?.code, "invalid_limits");
    const { stats, status } = (await run({ model: priced() })).result;
    assert.deepEqual([status, stats.cost], ["completed", undefined]);
  }
});
