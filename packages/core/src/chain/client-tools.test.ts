import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import { runToolChain } from "./run-tool-chain.ts";

const parameters = { type: "object", properties: { command: { type: "string" } } } as const;
const shell = defineTool({ name: "LocalShell", description: "The client's.", parameters });
const echo = defineTool({ ...reads, name: "Echo", execute: () => "echo" });

// Contract: loop-62, plugins-47, plugins-50
test("a tool without execute is announced to the client, and the chain waits for its output", async () => {
  const events: ChainEvent[] = [];
  const executor = executorWith([shell, echo]);
  const calls = [{ name: "LocalShell", args: { command: "ls" } }, { name: "Echo" }];
  const options = {
    executor,
    contextMessages: [],
    onEvent: (event: ChainEvent) => events.push(event),
  };
  const model = new ScriptedModel([{ calls }]);
  const first = await runToolChain({ ...options, model }).result;
  assert.equal(first.status, "requires_action");
  assert.deepEqual(first.waiting, [
    {
      type: "client_call",
      callId: "call_1",
      name: "LocalShell",
      argumentsText: '{"command":"ls"}',
    },
  ]);
  const proposed = events.find(({ type }) => type === "call.proposed");
  assert.deepEqual(proposed?.type === "call.proposed" && [proposed.owner, proposed.toolId], [
    "client",
    "test.LocalShell",
  ]);
  const next = new ScriptedModel(["There is a file."]);
  const second = await runToolChain({
    ...options,
    model: next,
    resume: { state: first.state, outputs: [{ callId: "call_1", output: "a.txt" }] },
  }).result;
  assert.equal(second.answer, "There is a file.");
  const results = next.requests[0]?.messages.filter(({ role }) => role === "tool");
  assert.deepEqual(
    results?.map(({ content }) => content),
    ["a.txt", "echo"],
  );
});

// Contract: plugins-53
test("a client's tool is offered unchanged", () => {
  const { definitions, clientNames } = executorWith([shell, echo]).offer();
  assert.deepEqual([...clientNames], ["LocalShell"]);
  assert.equal(definitions[0], shell.definition);
});

// Contract: plugins-54
test("outside a chain, a call of a client's tool fails with an error that explains it", async () => {
  const executor = executorWith([shell], { approvals: { request: () => ({ decision: "allow" }) } });
  const result = await executor.execute("LocalShell", {});
  assert.equal(result.status === "error" && result.error.code, "client_tool");
});

// Contract: plugins-47
test("a client's call with invalid arguments is answered with an error, and the client never sees it", async () => {
  const events: ChainEvent[] = [];
  const model = new ScriptedModel([
    { calls: [{ name: "LocalShell", args: { command: 5 } }] },
    { calls: [{ name: "LocalShell", args: { command: "ls" } }] },
  ]);
  const { status, waiting } = await runToolChain({
    executor: executorWith([shell]),
    model,
    contextMessages: [],
    onEvent: (event) => events.push(event),
    checkClientCall: ({ name, arguments: text }) =>
      name === "LocalShell" && text.includes("5")
        ? { status: "invalid", error: { code: "invalid_arguments", message: "Not a text." } }
        : { status: "valid", args: { command: "ls -l" }, repairs: [] },
  }).result;
  assert.equal(status, "requires_action");
  assert.deepEqual(
    waiting?.map(({ callId }) => callId),
    ["call_2"],
  );
  const waits = events.filter(({ type }) => type === "client_call.waiting");
  assert.equal(waits.length, 1);
  const result = model.requests[1]?.messages.at(-1);
  assert.match(String(result?.content), /Not a text/);
  const proposed = events.filter((event) => event.type === "call.proposed");
  assert.deepEqual(proposed.at(-1)?.args, { command: "ls -l" });
});
