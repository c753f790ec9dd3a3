import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../model/message.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { JournalWrite } from "./journal/journal.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const count = defineTool({
  ...reads,
  name: "Count",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => `${(text as string).length} characters`,
});
const pasted = `A log:\n${"line of the log 😀\n".repeat(500)}`;
const user = (content: string): Message => ({ role: "user", content });

function start(
  executor: ReturnType<typeof executorWith>,
  script: readonly ScriptedStep[],
  more: Partial<ToolChainOptions>,
) {
  const model = new ScriptedModel(script);
  const writes: JournalWrite[] = [];
  const journal = {
    commit: (batch: readonly JournalWrite[]) => {
      writes.push(...batch);
      return { status: "committed" as const };
    },
  };
  const chain = { executor, model, runId: "r", journal, contextMessages: [], ...more };
  return { model, writes, result: runToolChain(chain).result };
}

const shownIn = (model: ScriptedModel, round: number) =>
  model.requests[round]?.messages.findLast(({ role }) => role === "user")?.content as string;
const nameIn = (text: string) => /\n\n\[Stored as (Message-[0-9a-f]{8})\]$/.exec(text)?.[1] ?? "";

// Contract: variables-13
test("2,000 characters are a long message, and one less is a short one", async () => {
  for (const [chars, isKept] of [
    [1_999, false],
    [2_000, true],
  ] as const) {
    const { model, result } = start(executorWith([count]), ["done"], {
      inputMessages: [user("x".repeat(chars))],
    });
    await result;
    assert.equal(nameIn(shownIn(model, 0)) !== "", isKept);
  }
});

// Contract: variables-13, variables-69
test("from the first request on, a user's long message is a variable that calls can refer to", async () => {
  const executor = executorWith([count]);
  const script: ScriptedStep[] = [
    ({ messages }) => {
      const shown = messages.findLast(({ role }) => role === "user")?.content as string;
      const args = { text: `$VAR_REF{{${nameIn(shown)}}}` };
      return { calls: [{ name: "Count", args }] };
    },
    "done",
  ];
  const { model, writes, result } = start(executor, script, { inputMessages: [user(pasted)] });
  const { state } = await result;
  const kept = nameIn(shownIn(model, 0));
  assert.ok(shownIn(model, 0) === `${pasted}\n\n[Stored as ${kept}]`);
  assert.equal(shownIn(model, 1), shownIn(model, 0), "the same bytes every round");
  assert.equal(state.calls[0]?.result?.finalText, `${pasted.length} characters`);
  const variable = executor.variables.getVariable(kept);
  assert.deepEqual([variable?.type, variable?.value.text], ["MessageCache", pasted]);
  assert.match(variable?.desc ?? "", /^A message of the user: A log: line of the log/);
  assert.deepEqual(state.messages[0], user(pasted), "the stored text is the original text");
  const changed = writes.flatMap((write) => (write.type === "variable" ? [write.change] : []));
  assert.ok(changed.some((change) => change.type === "set" && change.variable.name === kept));
});

// Contract: variables-60
test("a repeated message in a later turn is the same variable, and restores it if it was evicted", async () => {
  const executor = executorWith([count]);
  const first = start(executor, ["one"], { inputMessages: [user(pasted)] });
  await first.result;
  const kept = nameIn(shownIn(first.model, 0));
  const again = start(executor, ["two"], { contextMessages: [user(pasted)] });
  await again.result;
  assert.equal(nameIn(shownIn(again.model, 0)), kept);
  assert.equal(executor.variables.listVariables({ type: "MessageCache" }).length, 1);
  const elsewhere = executorWith([count]);
  await start(elsewhere, ["three"], { contextMessages: [user(pasted)] }).result;
  assert.equal(elsewhere.variables.getVariable(kept)?.value.text, pasted);
});

test("a variable that a user removed is not stored again", async () => {
  const executor = executorWith([count]);
  const first = start(executor, ["one"], { inputMessages: [user(pasted)] });
  await first.result;
  executor.variables.removeVariables([nameIn(shownIn(first.model, 0))]);
  const again = start(executor, ["two"], { contextMessages: [user(pasted)] });
  await again.result;
  assert.equal(shownIn(again.model, 0), pasted);
  assert.deepEqual(executor.variables.listVariables({ type: "MessageCache" }), []);
});

// Contract: variables-13
test("each long part of a message becomes a variable; short messages and other roles' do not", async () => {
  const executor = executorWith([count]);
  const parts: Message = {
    role: "user",
    content: [
      { type: "text", text: "short" },
      { type: "text", text: pasted },
      { type: "link", url: "https://example.org" },
    ],
  };
  const { model, result } = start(executor, ["done"], {
    contextMessages: [user("x".repeat(1_999)), { role: "assistant", content: pasted }],
    inputMessages: [parts],
  });
  await result;
  const [short, ofModel] = model.requests[0]?.messages ?? [];
  assert.ok(short?.content === "x".repeat(1_999));
  assert.ok(ofModel?.content === pasted);
  const shown = model.requests[0]?.messages.at(-1)?.content as readonly { text?: string }[];
  assert.deepEqual(
    shown.map(({ text = "" }) => nameIn(text) !== ""),
    [false, true, false],
  );
  assert.equal(executor.variables.listVariables({ type: "MessageCache" }).length, 1);
});

// Contract: variables-13
test("if no tool is enabled, nothing is stored or added", async () => {
  const executor = executorWith([]);
  const { model, result } = start(executor, ["done"], { inputMessages: [user(pasted)] });
  await result;
  assert.equal(shownIn(model, 0), pasted);
  assert.deepEqual(executor.variables.listVariables({ type: "MessageCache" }), []);
});

// Contract: variables-19
test("a message that exceeds the capacity is shown unchanged", async () => {
  const executor = executorWith([count]);
  const { variables } = executor;
  const value = { text: "x" };
  for (let n = 0; n < variables.capacity; n++)
    variables.updateVariable(`v${n}`, { value, type: "USER_ADD", keep: true });
  const { model, result } = start(executor, ["done"], { inputMessages: [user(pasted)] });
  await result;
  assert.equal(shownIn(model, 0), pasted);
});
