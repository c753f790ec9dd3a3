import assert from "node:assert/strict";
import { test } from "node:test";
import { InlineApprovalAdapter, type ToolExecuteResult } from "@capstan/core";
import {
  type Answer,
  echo,
  echoTool,
  fakeServer,
  type FakeProcess,
} from "./testing/fake-server.ts";
import { textOf, until } from "./testing/read-results.ts";
import { executorOf, programConnection, testConnections } from "./testing/test-connections.ts";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import type { ProgramConnection } from "./definition/connection.ts";

/** Calls the tool `echo` of a server that handles the call with the given function. */
async function callWith(
  call: Answer,
  {
    connection = {},
    tool = {},
    prepare,
  }: {
    readonly connection?: Partial<ProgramConnection>;
    readonly tool?: object;
    readonly prepare?: (process: FakeProcess) => void;
  } = {},
): Promise<{ readonly result: ToolExecuteResult; readonly processes: readonly FakeProcess[] }> {
  const server = fakeServer({
    tools: [{ ...echoTool, ...tool }],
    call: (request, process) => {
      prepare?.(process);
      return call(request, process);
    },
  });
  await using connections = testConnections({
    sandbox: server.sandbox,
    connections: [programConnection(connection)],
  });
  await connections.check();
  const result = await executorOf(connections).execute("echo", { text: "a" });
  return { result, processes: server.processes };
}

test("texts, structured data, images, files and links become a result", async () => {
  const { result } = await callWith(() => ({
    content: [
      { type: "text", text: "one" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
      { type: "resource", resource: { uri: "file:///a/b.txt", text: "two" } },
      { type: "resource", resource: { uri: "x://c.bin", blob: "AAEC", mimeType: "application/x" } },
      { type: "resource_link", uri: "http://169.254.169.254/latest", name: "Metadata" },
    ],
  }));
  assert.equal(result.status, "success");
  const parts = "parts" in result ? result.parts : [];
  assert.deepEqual(
    parts?.map(({ type }) => type),
    ["text", "image", "file", "text", "file", "link"],
  );

  const structured = await callWith(() => ({
    content: [{ type: "text", text: "It is 21 °C." }],
    structuredContent: { celsius: 21 },
  }));
  assert.deepEqual("data" in structured.result && structured.result.data, { celsius: 21 });
  assert.equal(textOf(structured.result), "It is 21 °C.");
});

test("a malformed part or structured result adds a note, and the result stays", async () => {
  const { result } = await callWith(
    () => ({
      content: [{ type: "text", text: "done" }, { type: "text" }, { type: "video" }, null, 7],
      structuredContent: { celsius: "warm" },
    }),
    {
      tool: {
        outputSchema: { type: "object", properties: { celsius: { type: "number" } } },
      },
    },
  );
  assert.equal(result.status, "success");
  assert.match(
    textOf(result),
    /^done\n\n\[A part of the result cannot be read.*\/celsius: expected a number, got text "warm"/s,
  );
  const without = await callWith(echo, { tool: { outputSchema: { type: "object" } } });
  assert.match(textOf(without.result), /^a\n\n\[The tool declares a structured result/);
});

test("a server's regular expression that backtracks for ages does not block the process", async () => {
  const started = performance.now();
  const { result } = await callWith(
    () => ({ content: [], structuredContent: { a: `${"a".repeat(40)}!` } }),
    {
      tool: {
        outputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
      },
    },
  );
  assert.equal(result.status, "success");
  assert.ok(performance.now() - started < 8_000);
});

test("a result with isError is a failure with the server's message", async () => {
  const { result } = await callWith(() => ({
    isError: true,
    content: [{ type: "text", text: "There is no ticket 7. ListTickets lists them." }],
  }));
  assert.equal(result.status, "error");
  assert.match(textOf(result), /server_error.*There is no ticket 7/s);
});

test("a JSON-RPC error rejects the call, and the server is not ended", async () => {
  const { result } = await callWith(() => ({ error: { code: -32602, message: "Unknown tool." } }));
  assert.match(textOf(result), /rejected.*Unknown tool/s);
});

test("other text on standard output is dropped", async () => {
  const { result } = await callWith(echo, {
    prepare(process) {
      process.send("\u001B[32mServer 1.0 is ready\u001B[0m\n\n{ not json }\n[1]\nnull\n");
      process.send('{"jsonrpc":"1.0"}\n');
    },
  });
  assert.equal(textOf(result), "a");
});

test("a message of 50 MB ends the server, and the call fails", async () => {
  const { result, processes } = await callWith((_request, process) => {
    const megabyte = "x".repeat(1024 * 1024);
    process.send('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"');
    for (let n = 0; n < 50; n++) process.send(megabyte);
    return "sent";
  });
  assert.match(textOf(result), /too_large.*more than 16 MB/s);
  assert.equal(processes[1]?.isEnded, true);
});

test("a server that dies during a call leaves its outcome unknown; the next call starts it again", async () => {
  let isFirst = true;
  const server = fakeServer({
    call(request, process) {
      if (!isFirst) return echo(request, process);
      isFirst = false;
      process.die();
      return "sent";
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  const executor = executorOf(connections);
  const died = await executor.execute("echo", { text: "a" });
  assert.match(textOf(died), /outcome_unknown.*may have been carried out/s);
  assert.equal(textOf(await executor.execute("echo", { text: "b" })), "b");
  const calls = server.processes.flatMap(({ received }) =>
    received.filter(({ method }) => method === "tools/call"),
  );
  assert.equal(calls.length, 2, "no call was sent twice");
});

test("the error of a server that cannot start has its last output, and each check starts it again", async () => {
  const server = fakeServer({
    answer(_request, process) {
      process.stderr("Error: TOKEN is missing\n");
      setTimeout(() => process.die(), 5);
      return "sent";
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  assert.match(connections.status()[0]?.error ?? "", /TOKEN is missing.*"read", "write"/s);
  const started = server.processes.length;
  await connections.check();
  assert.equal(server.processes.length, started + 1, "each check tries again");
});

test("a call ends if its server is silent for the idle time, and the server gets a cancellation", async () => {
  const { result, processes } = await callWith(() => "sent", {
    connection: { idleSeconds: 0.05 },
  });
  assert.match(textOf(result), /outcome_unknown.*sent nothing for 0.05 seconds/s);
  const methods = processes[1]?.received.map(({ method }) => method);
  assert.ok(methods?.includes("notifications/cancelled"));
});

test("progress is reported, and extends the idle time", async () => {
  const server = fakeServer({
    async call(request, process) {
      const meta = request.params?.["_meta"];
      const { progressToken } = meta as { readonly progressToken: unknown };
      for (let progress = 1; progress <= 5; progress++) {
        await new Promise((resolve) => setTimeout(resolve, 110));
        process.send({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress, total: 5, message: `step ${progress}` },
        });
      }
      return echo(request, process);
    },
  });
  await using connections = testConnections({
    sandbox: server.sandbox,
    connections: [programConnection({ idleSeconds: 0.4 })],
  });
  await connections.check();
  const context = fakeContext();
  const [group] = connections.groups;
  assert.ok(group);
  assert.equal(await call(toolOf(group, "echo"), { text: "a" }, context), "a");
  assert.deepEqual(context.progress.at(-1), { done: 5, total: 5, message: "step 5" });
});

test("a cancelled call is cancelled at the server at once", async () => {
  const server = fakeServer({ call: () => "sent" });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  const stop = new AbortController();
  const running = executorOf(connections).execute("echo", { text: "a" }, { signal: stop.signal });
  const sent = () => server.processes[1]?.received.map(({ method }) => method) ?? [];
  await until(() => sent().includes("tools/call"));
  const stopped = performance.now();
  stop.abort();
  assert.equal((await running).status, "cancelled");
  await until(() => sent().includes("notifications/cancelled"));
  assert.ok(performance.now() - stopped < 10_000);
});

test("a user reads a server's question and changes the answers", async () => {
  const asked = askingServer({
    message: "Whose ticket\u202E?",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string", minLength: 1 }, urgent: { type: "boolean" } },
      required: ["name"],
    },
  });
  await using connections = testConnections({ sandbox: asked.sandbox });
  await connections.check();
  const approvals = new InlineApprovalAdapter();
  const executor = executorOf(connections, {
    rules: [{ tool: "fake.echo", execution: "auto" }],
    approvals,
  });
  const running = executor.execute("echo", { text: "a" });
  await until(() => approvals.pending.length === 1);
  const [first] = approvals.pending;
  const args = first?.type === "execution" ? first.request.args : {};
  assert.equal(args["question"], "Whose ticket⟨U+202E⟩?");
  assert.deepEqual(args["answers"], { name: "", urgent: false });
  // An empty name is invalid, so the user is asked again.
  await approvals.answer(first?.id ?? "", { decision: "allow" });
  await until(() => approvals.pending.length === 1 && approvals.pending[0]?.id !== first?.id);
  const [second] = approvals.pending;
  const again = second?.type === "execution" ? second.request.args : {};
  assert.match(String(again["problem"]), /name/);
  await approvals.answer(second?.id ?? "", {
    decision: "allow",
    arguments: { ...again, answers: { name: "Ann", urgent: true } },
  });
  assert.match(textOf(await running), /"action":"accept".*"name":"Ann"/s);
});

test("a user can decline a question, and a form that asks for a secret is declined at once", async () => {
  const refused = await answerTo({
    message: "Which?",
    requestedSchema: object({ a: { type: "string" } }),
  });
  assert.match(refused, /"action":"decline"/);
  for (const name of ["password", "api_key", "accessToken"])
    assert.match(
      await answerTo(
        { message: "Sign in.", requestedSchema: object({ [name]: { type: "string" } }) },
        { withoutUser: true },
      ),
      /"action":"decline"/,
    );
  for (const field of [
    { type: "string", description: "Your password at the bank." },
    { type: "string", enum: ["a", "b"], enumNames: ["Card number", "Other"] },
    { type: "string", oneOf: [{ const: "a", title: "My access token" }] },
    { type: "string", description: "Enter the PIN." },
  ])
    assert.match(
      await answerTo(
        { message: "Sign in.", requestedSchema: object({ value: field }) },
        { withoutUser: true },
      ),
      /"action":"decline"/,
      JSON.stringify(field),
    );
  const hidden = object({ value: { type: "string", format: "password" } });
  assert.doesNotMatch(
    await answerTo({ message: "Sign in.", requestedSchema: hidden }, { withoutUser: true }),
    /accept/,
  );
  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "https://ann:pw@example.org/"])
    assert.match(
      await answerTo(
        { mode: "url", message: "Open.", url, elicitationId: "1" },
        { withoutUser: true },
      ),
      /"action":"decline"/,
    );
});

test("a server can ask only a few questions during a call", async () => {
  const server = fakeServer({
    async call(_request, process) {
      let last = "";
      for (let n = 0; n < 100; n++)
        last = JSON.stringify(await ask(process, { message: `${n}`, requestedSchema: object({}) }));
      return { content: [{ type: "text", text: last }] };
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  let questions = 0;
  const executor = executorOf(connections, {
    approvals: {
      request: () => {
        questions++;
        return Promise.resolve({ decision: "allow" as const });
      },
    },
    rules: [{ tool: "fake.echo", execution: "auto" }],
  });
  assert.match(textOf(await executor.execute("echo", { text: "a" })), /"action":"cancel"/);
  assert.ok(questions <= 10, String(questions));
});

test("a server with resources and prompts gets tools that read them", async () => {
  const server = fakeServer({
    capabilities: { tools: {}, resources: {}, prompts: {} },
    answer({ method, params }) {
      if (method === "resources/list")
        return { result: { resources: [{ uri: "x://a", name: "A\u200B" }, 7] } };
      if (method === "resources/templates/list") return { result: { resourceTemplates: null } };
      if (method === "resources/read")
        return { result: { contents: [{ uri: params?.["uri"], text: "the text" }] } };
      if (method === "prompts/list") return { result: { prompts: [{ name: "greet" }] } };
      if (method === "prompts/get")
        return {
          result: { messages: [{ role: "user", content: { type: "text", text: "Greet Ann." } }] },
        };
      return undefined;
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  const executor = executorOf(connections);
  const run = async (name: string, args = {}) => textOf(await executor.execute(name, args));
  assert.match(await run("ListResources"), /x:\/\/a.*A⟨U\+200B⟩/s);
  assert.match(await run("ReadResource", { uri: "x://a" }), /the text/);
  assert.match(await run("ListPrompts"), /greet/);
  assert.match(await run("GetPrompt", { name: "greet", arguments: { who: "Ann" } }), /Greet Ann/);
});

test("the roots of a connection are its folders", async () => {
  const server = fakeServer({
    async call(_request, process) {
      const roots = await request(process, "roots/list", {});
      return { content: [{ type: "text", text: JSON.stringify(roots) }] };
    },
  });
  await using connections = testConnections({
    sandbox: server.sandbox,
    connections: [programConnection({ read: ["/srv/read me"], write: ["/srv/write"] })],
  });
  await connections.check();
  const text = textOf(await executorOf(connections).execute("echo", {}));
  assert.match(text, /file:\/\/\/srv\/write/);
  assert.match(text, /file:\/\/\/srv\/read%20me/);
});

test("a rule for the whole connection does not answer the server's questions", async () => {
  for (const tool of ["*", "fake.*"]) {
    const asked = askingServer({ message: "Delete all?", requestedSchema: object({}) });
    await using connections = testConnections({ sandbox: asked.sandbox });
    await connections.check();
    const approvals = new InlineApprovalAdapter();
    const rules = [{ tool, execution: "auto" }] as const;
    const executor = executorOf(connections, { rules, approvals });
    const running = executor.execute("echo", { text: "a" });
    await until(() => approvals.pending.length === 1);
    await approvals.answer(approvals.pending[0]?.id ?? "", { decision: "refuse", reason: "no" });
    assert.match(textOf(await running), /"action":"decline"/, tool);
  }
});

const object = (properties: object) => ({ type: "object", properties });

/** Sends a request from the server, and waits for the client's response. */
async function request(process: FakeProcess, method: string, params: object): Promise<unknown> {
  const id = `s${process.received.length}-${Math.random()}`;
  process.send({ jsonrpc: "2.0", id, method, params });
  await until(() => process.received.some((message) => message.id === id));
  const answer = process.received.find((message) => message.id === id);
  return answer?.result ?? answer?.error;
}

const ask = (process: FakeProcess, params: object) =>
  request(process, "elicitation/create", params);

function askingServer(params: object): ReturnType<typeof fakeServer> {
  return fakeServer({
    call: async (_request, process) => ({
      content: [{ type: "text", text: JSON.stringify(await ask(process, params)) }],
    }),
  });
}

/** Returns the client's response to a question that the user declines. */
async function answerTo(params: object, { withoutUser = false } = {}): Promise<string> {
  const server = askingServer(params);
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  const approvals = new InlineApprovalAdapter();
  const executor = executorOf(connections, {
    rules: [{ tool: "fake.echo", execution: "auto" }],
    approvals,
  });
  const running = executor.execute("echo", { text: "a" });
  if (withoutUser) {
    const text = textOf(await running);
    assert.equal(approvals.pending.length, 0);
    return text;
  }
  await until(() => approvals.pending.length === 1);
  await approvals.answer(approvals.pending[0]?.id ?? "", { decision: "refuse", reason: "no" });
  return textOf(await running);
}
