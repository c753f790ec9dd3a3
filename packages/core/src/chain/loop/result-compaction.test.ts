import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../model/message.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { messageProblems } from "../../testing/chain-problems.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { contentParts } from "../../tool/return-value.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { runToolChain } from "../run-tool-chain.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";

const text = "words of a page ".repeat(125);
/** About 500 tokens each, at four characters per token. */
const page = defineTool({ ...reads, name: "Page", execute: () => text });
const short = defineTool({ ...reads, name: "Short", execute: () => "short" });
const loose = defineTool({
  ...reads,
  name: "Loose",
  SKIP_CACHE_RESULT: true,
  execute: () => text,
});
const picture = defineTool({
  ...reads,
  name: "Picture",
  execute: () =>
    contentParts([
      { type: "text", text },
      { type: "image", mimeType: "image/png", source: { type: "base64", data: "AAAA" } },
    ]),
});
const readVar = defineTool({
  ...reads,
  name: "ReadVar",
  variableTool: true,
  execute: () => text,
});

const call = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

async function run(script: readonly ScriptedStep[], more: Partial<ToolChainOptions> = {}) {
  const model = new ScriptedModel(script);
  const executor = executorWith([page, short, loose, picture, readVar]);
  const options = { executor, model, contextMessages: [], maxRounds: 50, ...more };
  return { model, result: await runToolChain(options).result };
}

const results = (messages: readonly Message[] | undefined) =>
  (messages ?? []).flatMap((message) => (message.role === "tool" ? [message.content] : []));
const shortened = (messages: readonly Message[] | undefined) =>
  results(messages).map((content) => content.includes("[Shortened: "));

// Contract: loop-13
test("beyond the limit on tokens, the oldest rounds' results are shortened until half of it is used", async () => {
  const script = [...Array.from({ length: 5 }, () => call("Page")), "Done."];
  const { model, result } = await run(script, { compactAfter: 2_200 });
  const seen = model.requests.map(({ messages }) => shortened(messages));
  assert.deepEqual(seen.slice(0, 5), [
    [],
    [false],
    [false, false],
    [false, false, false],
    [false, false, false, false],
  ]);
  assert.deepEqual(seen[5], [true, true, true, false, false]);
  for (const { messages } of model.requests) assert.deepEqual(messageProblems(messages), []);
  assert.match(
    results(model.requests[5]?.messages)[0] ?? "",
    /^words of a page [^]*\n\[Shortened: you were shown this before\. Full value: ReadVar\(\{"name":"Page_1"\}\)\.\]$/,
  );
  assert.deepEqual(shortened(result.messages.complete), seen[5]);
  assert.equal(result.stats.tokensShown, 5 * (result.state.calls[0]?.result?.tokens.shown ?? 0));
});

// Contract: loop-13
test("short results, unreadable results and images are kept; the result of reading a variable is shortened", async () => {
  const first = call("Page", "Short", "Loose", "Picture", "ReadVar");
  const { model } = await run([first, call("Page"), call("Page"), "Done."], {
    compactAfter: 1_200,
  });
  const [, , , last] = model.requests;
  assert.deepEqual(shortened(last?.messages), [true, false, false, false, true, false, false]);
  assert.match(results(last?.messages)[4] ?? "", /Call it again for the full value\.\]$/);
});

// Contract: loop-13
test("the newest round stays unchanged at any length, and an infinite limit shortens nothing", async () => {
  const script = [call("Page"), call("Page", "Page", "Page"), "Done."];
  const { model } = await run(script, { compactAfter: 10 });
  assert.deepEqual(shortened(model.requests[2]?.messages), [true, false, false, false]);
  const lifted = await run(script, { compactAfter: Infinity });
  assert.ok(!shortened(lifted.model.requests[2]?.messages).includes(true));
});

// Contract: loop-13
test("a turn that resumes from its state or its journal is sent with the same bytes", async () => {
  const script = [...Array.from({ length: 5 }, () => call("Page")), { error: new Error("gone") }];
  const journal = new MemoryJournal();
  const { model, result } = await run(script, { compactAfter: 2_200, journal });
  const sent = model.requests.at(-1)?.messages;
  assert.ok(shortened(sent).includes(true));
  for (const state of [result.state, journal.state()]) {
    const next = await run(["Done."], {
      compactAfter: 2_200,
      resume: { state: JSON.parse(JSON.stringify(state)) as typeof state },
    });
    assert.deepEqual(next.model.requests[0]?.messages, sent);
  }
});
