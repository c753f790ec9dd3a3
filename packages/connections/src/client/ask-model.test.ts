import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApprovalRequest, InlineApprovalAdapter } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { textOf, toolNames, until } from "../testing/read-results.ts";
import { fakeServer, type FakeProcess } from "../testing/fake-server.ts";
import { executorOf, programConnection, testConnections } from "../testing/test-connections.ts";

const id = "test/small";

/** A server that asks a model during each call, and returns the client's response. */
function askingServer(params: object) {
  return fakeServer({
    async call(_request, process) {
      const answer = await request(process, params);
      return { content: [{ type: "text", text: JSON.stringify(answer) }] };
    },
  });
}

async function request(process: FakeProcess, params: object): Promise<unknown> {
  const of = `s${process.received.length}`;
  process.send({ jsonrpc: "2.0", id: of, method: "sampling/createMessage", params });
  await until(() => process.received.some((message) => message.id === of));
  const answer = process.received.find((message) => message.id === of);
  return answer?.result ?? answer?.error;
}

const question = {
  systemPrompt: "Be short.",
  messages: [{ role: "user", content: { type: "text", text: "Summarise\u200B this." } }],
  maxTokens: 1_000_000,
};

function openAsking(params: object, sampling: string | undefined = id) {
  const model = new ScriptedModel([{ text: "A summary." }]);
  const connections = testConnections({
    sandbox: askingServer(params).sandbox,
    connections: [programConnection(sampling === "" ? {} : { sampling })],
    findModel: async (wanted) => (wanted === id ? model : undefined),
  });
  const approvals = new InlineApprovalAdapter();
  const call = async () => {
    // A rule for the whole group does not answer for the user.
    const rules = [{ tool: "fake.*", execution: "auto" }] as const;
    const executor = executorOf(connections, { rules, approvals });
    return textOf(await executor.execute("echo", { text: "a" }));
  };
  const decide = async (decision: "allow" | "refuse"): Promise<ApprovalRequest | undefined> => {
    await until(() => approvals.pending.length === 1);
    const [asked] = approvals.pending;
    await approvals.answer(asked?.id ?? "", { decision });
    return asked?.type === "execution" ? asked.request : undefined;
  };
  return { connections, model, call, decide };
}

test("a server asks the configured model after a user has seen and approved its request", async () => {
  const { connections, model, call, decide } = openAsking(question);
  await using _ = connections;
  await connections.check();
  assert.deepEqual(toolNames(connections), ["echo", "AnswerServer", "AskModel"]);
  const called = call();
  const asked = await decide("allow");
  assert.deepEqual(asked?.args, {
    server: "fake",
    system: "Be short.",
    messages: [{ role: "user", text: "Summarise⟨U+200B⟩ this." }],
    maxTokens: 4_096,
  });
  assert.match(await called, /"text":"A summary\."/);
  assert.equal(model.requests[0]?.maxOutputTokens, 4_096);
  assert.deepEqual(model.requests[0]?.tools, []);
});

test("a request that a user denies reaches no model, and the server gets an error", async () => {
  const { connections, model, call, decide } = openAsking(question);
  await using _ = connections;
  await connections.check();
  const called = call();
  await decide("refuse");
  assert.match(await called, /"code":-1/);
  assert.deepEqual(model.requests, []);
});

test("a server without the setting cannot ask a model", async () => {
  const { connections, model, call } = openAsking(question, "");
  await using _ = connections;
  await connections.check();
  assert.deepEqual(toolNames(connections), ["echo", "AnswerServer"]);
  assert.match(await call(), /"code":-32601/);
  assert.deepEqual(model.requests, []);
});

test("a model that is not configured is an error for the server", async () => {
  const { connections, call, decide } = openAsking(question, "test/other");
  await using _ = connections;
  await connections.check();
  const called = call();
  await decide("allow");
  assert.match(await called, /"code":-1/);
});

test("images and long requests are rejected before a user is asked", async () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const long = { type: "text", text: "x".repeat(100_001) };
  for (const content of [image, long]) {
    const params = { ...question, messages: [{ role: "user", content }] };
    const { connections, call } = openAsking(params);
    await using _ = connections;
    await connections.check();
    assert.match(await call(), /"code":-1/);
  }
});
