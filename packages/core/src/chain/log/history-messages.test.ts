import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../model/message.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { contentParts, toolError } from "../../tool/return-value.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { resumeToolChain, runToolChain } from "../run-tool-chain.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";
import { historyMessages, type HistoryMode, type StoredTurn } from "./history-messages.ts";

const long = "line of a long page\n".repeat(2_000);
const page = defineTool({ ...reads, name: "Page", execute: () => long });

async function turnOf(
  script: readonly ScriptedStep[],
  more: Partial<ToolChainOptions> = {},
): Promise<StoredTurn> {
  const { state } = await runToolChain({
    executor: executorWith([page]),
    model: new ScriptedModel(script),
    contextMessages: [],
    inputMessages: [{ role: "user", content: "Go." }],
    ...more,
  }).result;
  return state;
}

const roles = (messages: readonly Message[]) => messages.map(({ role }) => role);
const read = () => turnOf([{ text: "I read.", calls: [{ name: "Page" }] }, "It is long."]);

// Contract: loop-56
test("the log of a turn is the user's message, a developer message, and the assistant's own text", async () => {
  const messages = historyMessages([await read()]);
  assert.deepEqual(roles(messages), ["user", "developer", "assistant"]);
  assert.match(
    messages[1]?.content as string,
    /^<turn-log>\n[\s\S]*- Page ✓ → Page_1: "line of[\s\S]*<\/turn-log>$/,
  );
  assert.equal(messages[2]?.content, "I read.\n\nIt is long.");
  assert.ok(JSON.stringify(messages).length < 700);
});

test("in full, a turn has every call with the shown part of its result", async () => {
  const messages = historyMessages([await read()], "full");
  assert.deepEqual(roles(messages), ["user", "assistant", "tool", "assistant"]);
  assert.ok(String(messages[2]?.content).length > 8_000);
});

// Contract: loop-56
test("the newest turns are shown in full, and the earlier ones as logs", async () => {
  const turns = [await read(), await read(), await read()];
  const log = ["user", "developer", "assistant"];
  const full = ["user", "assistant", "tool", "assistant"];
  assert.deepEqual(roles(historyMessages(turns, { keepTurns: 2 })), [...log, ...full, ...full]);
  assert.deepEqual(roles(historyMessages(turns, { keepTurns: 9 })), [...full, ...full, ...full]);
  assert.deepEqual(historyMessages(turns, { keepTurns: 0 }), historyMessages(turns, "log"));
});

test("an invalid history mode is rejected with the allowed values", async () => {
  const turns = [await read()];
  const bad = ["logs", null, {}, ...[NaN, -1, 1.5, "2"].map((keepTurns) => ({ keepTurns }))];
  for (const history of bad as unknown as HistoryMode[])
    assert.throws(() => historyMessages(turns, history), { code: "invalid_history" });
  assert.deepEqual(historyMessages(turns, { keepTurns: Infinity }), historyMessages(turns, "full"));
});

test("invalid turns are rejected with their path", () => {
  const bad = [
    [null, /turns is null/],
    [[null], /turns\[0\] is null/],
    [[{}], /turns\[0\]\.messages is undefined/],
    [[{ messages: [], calls: [null] }], /turns\[0\]\.calls\[0\] is null/],
    [[{ messages: [], calls: [], before: [3] }], /turns\[0\]\.before\[0\] is 3/],
  ] as const;
  for (const [turns, message] of bad)
    assert.throws(() => historyMessages(turns as unknown as StoredTurn[]), {
      code: "invalid_history",
      message,
    });
});

test("a turn without calls is the same in both forms", async () => {
  const turn = await turnOf(["Hello."]);
  assert.deepEqual(historyMessages([turn]), historyMessages([turn], "full"));
});

test("a turn with calls of the client's tools is shown in full", async () => {
  const clientTool: ToolDefinition = { type: "function", function: { name: "Ask" } };
  const first = await runToolChain({
    executor: executorWith([page]),
    model: new ScriptedModel([{ calls: [{ name: "Ask" }, { name: "Page" }] }]),
    contextMessages: [],
    clientTools: [clientTool],
  }).result;
  const turn = await turnOf(["Done."], {
    clientTools: [clientTool],
    resume: { state: first.state, outputs: [{ callId: "call_1", output: "yes" }] },
    inputMessages: [],
  });
  assert.deepEqual(roles(historyMessages([turn])), ["assistant", "tool", "tool", "assistant"]);
});

// Contract: loop-99
test("a turn that was stopped or failed keeps the log of its calls", async () => {
  const failed = await turnOf([{ calls: [{ name: "Page" }] }, { error: new Error("gone") }]);
  const messages = historyMessages([failed]);
  assert.match(messages[1]?.content as string, /- Page ✓ → Page_1/);
  assert.equal(messages[2]?.content, "(This turn ended without an answer.)");
});

// Contract: executor-233, loop-90
test("the log has invalid arguments and unknown tools", async () => {
  const fails = defineTool({
    ...reads,
    name: "Fails",
    execute: () => toolError({ code: "no_host", message: "No such host." }),
  });
  const turn = await turnOf(
    [
      { calls: [{ name: "Page", args: '{"a' }, { name: "Pgae" }, { name: "Fails" }] },
      { calls: [{ name: "Page" }] },
      "Done.",
    ],
    { executor: executorWith([page, fails]) },
  );
  const log = historyMessages([turn])[1]?.content as string;
  assert.match(log, /- Page \{"a ✗ Failed: /);
  assert.match(log, /- Pgae ✗ No such tool: /);
  assert.match(log, /- Fails ✗ Failed: No such host\. → Fails_\d/);
});

// Contract: loop-95
test("calls with repeated ids each have their own result in the log", async () => {
  const echo = defineTool({
    ...reads,
    name: "Echo",
    parameters: { type: "object", properties: { a: { type: "string" } } },
    execute: ({ a }) => a,
  });
  const call = (a: string) => ({ calls: [{ id: "gemini_call_0", name: "Echo", args: { a } }] });
  const turn = await turnOf([call("one"), call("two"), { calls: [{ name: "Page" }] }, "Done."], {
    executor: executorWith([echo, page]),
  });
  const log = historyMessages([turn])[1]?.content as string;
  assert.match(log, /"one"\} ✓ → Echo_1: "one"\n- Echo \{"a":"two"\} ✓ → Echo_2: "two"/);
});

// Contract: loop-56
test("a turn with short calls and results is shown in full, with the same bytes", async () => {
  const model = new ScriptedModel([{ text: "I look.", calls: [{ name: "Look" }] }, "Found."]);
  const look = defineTool({ ...reads, name: "Look", execute: () => "a short result" });
  const turn = await turnOf([], { executor: executorWith([look]), model });
  const messages = historyMessages([turn]);
  assert.deepEqual(roles(messages), ["user", "assistant", "tool", "assistant"]);
  assert.deepEqual(messages.slice(0, 3), model.requests[1]?.messages);
  assert.deepEqual(messages, historyMessages([turn], "full"));
});

// Contract: loop-56
test("a turn is long if its results, arguments and reasoning are, or with an image or without an answer", async () => {
  const give = defineTool({
    ...reads,
    name: "Give",
    parameters: { type: "object", properties: { n: { type: "integer" }, x: { type: "string" } } },
    execute: ({ n }) => "x".repeat(Number(n ?? 0)),
  });
  const draw = defineTool({
    ...reads,
    name: "Draw",
    execute: () =>
      contentParts([
        { type: "image", mimeType: "image/png", source: { type: "base64", data: "AAAA" } },
      ]),
  });
  const isLog = async (...script: readonly ScriptedStep[]) => {
    const turn = await turnOf(script, { executor: executorWith([give, draw]) });
    return roles(historyMessages([turn])).includes("developer");
  };
  const call = (args: object) => ({ name: "Give", args });
  const two = [call({ n: 1_900 }), call({ n: 1_900 })];
  assert.equal(await isLog({ calls: two }, "Done."), false);
  assert.equal(await isLog({ calls: [...two, call({ n: 200 })] }, "Done."), true);
  assert.equal(await isLog({ calls: [...two, call({ x: "y".repeat(200) })] }, "Done."), true);
  assert.equal(await isLog({ calls: two, reasoning: "z".repeat(200) }, "Done."), true);
  assert.equal(await isLog({ calls: [{ name: "Draw" }] }, "Done."), true);
  assert.equal(await isLog({ calls: [call({})] }, { error: new Error("gone") }), true);
});

// Contract: loop-56
test("of hundreds of short turns, the oldest become logs in batches and remain logs", async () => {
  const look = defineTool({ ...reads, name: "Look", execute: () => "x".repeat(1_900) });
  const turn = await turnOf([{ calls: [{ name: "Look" }, { name: "Look" }] }, "Found."], {
    executor: executorWith([look]),
  });
  const shortTurn = await turnOf(["Hello."]);
  const turns: StoredTurn[] = [];
  let shown: readonly Message[] = [];
  let changes = 0;
  for (let n = 0; n < 100; n++) {
    turns.push(turn, shortTurn);
    const now = historyMessages(turns);
    const isChanged = JSON.stringify(now.slice(0, shown.length)) !== JSON.stringify(shown);
    if (isChanged) changes++;
    shown = now;
    const whole = now.reduce(
      (sum, { role, content }) => sum + (role === "tool" ? content.length : 0),
      0,
    );
    assert.ok(whole <= 64_000, `${whole} characters of results after ${n + 1} turns`);
    assert.equal(now.at(-5)?.role, "tool", "the newest is shown unchanged");
    const logs = now.findIndex(({ role }) => role === "tool");
    assert.ok(!roles(now.slice(logs)).includes("developer"), "the oldest are logs");
  }
  assert.ok(changes > 5 && changes < 15, `${changes} changes`);
  const window = historyMessages(turns, { keepTurns: 120 });
  assert.equal(roles(window).filter((role) => role === "tool").length, 120 + 2 * 13);
});

test("a journal gets the log's replay when the turn ends", async () => {
  const journal = new MemoryJournal();
  const permission = { executionPolicy: "ask-always" } as const;
  const ask = defineTool({ ...reads, name: "Ask", permission, execute: () => "asked" });
  const executor = executorWith([page, ask], {
    approvals: { request: () => ({ decision: "pending" }) },
  });
  const script = [{ calls: [{ name: "Page" }, { name: "Ask" }] }, "It is long."];
  const options = { model: new ScriptedModel(script), contextMessages: [], journal };
  const { state, waiting } = await runToolChain({ executor, ...options }).result;
  const callId = waiting[0]?.callId ?? "";
  const answers = [{ callId, decision: { decision: "refuse" } }] as const;
  const { replayContent } = await resumeToolChain(executor, state, { ...options, answers }).result;
  const logs = journal.writes.flatMap((write) =>
    write.type === "result" ? [write.result.log] : [],
  );
  assert.match(replayContent, /Page/);
  assert.deepEqual(logs, [undefined, { replay: replayContent }]);
});

test("a stored log is shown unchanged", async () => {
  const turn = { ...(await read()), log: { replay: "<turn-log>\nas it was\n</turn-log>" } };
  assert.equal(historyMessages([turn])[1]?.content, turn.log.replay);
});
