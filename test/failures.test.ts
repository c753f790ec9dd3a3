import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RunView } from "@capstan/contract";
import { type Api, createApi, eventsOf, groupTool, readEventStream, spokenText } from "./api.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream, type Upstream, type UpstreamAnswer } from "./upstream.ts";

const resources = new AsyncDisposableStack();
let upstream: Upstream;
let folder: ServerFolder;
let server: ServerProcess;
let api: Api;

/** The model's failure for each message. */
const failures: { readonly [message: string]: UpstreamAnswer } = {
  "die early": { say: [], ending: "break" },
  "die in mid-stream": { say: ["Half a"], ending: "break" },
  "die in a call": { calls: [{ name: "Record", arguments: '{"line":"cut"}' }], ending: "break" },
  "never end": { say: ["And so on"], ending: "silence" },
  "say nothing": { say: [] },
  "wrong key": { status: 401 },
  "not found": { status: 404 },
  "too much": { status: 413 },
};

before(async () => {
  upstream = resources.use(
    await startUpstream(
      (request) => failures[String(request.messages.at(-1)?.content)] ?? obey(request),
    ),
  );
  folder = resources.use(await createServerFolder());
  const { environment } = upstream;
  server = resources.use(await startServerProcess({ folder, script: toyServer, environment }));
  api = createApi(server.url);
});

after(() => resources.disposeAsync());

async function turn(input: string, on = api) {
  const { id: conversation } = await on.createConversation();
  const run = await on.startTurn({ conversation, input, groups: ["toys"] });
  const events = await on.finishedEvents(run);
  return { conversation, run, events, view: await on.run(run) };
}

/** Returns the only call of a completed turn: the model continues after any behaviour of a tool. */
async function callOf(input: string) {
  const { conversation, events, view } = await turn(input);
  assert.equal(view.status, "completed");
  const [settled, ...others] = eventsOf(events, "call.settled");
  assert.ok(settled !== undefined && others.length === 0);
  return { conversation, ...settled, said: spokenText(events) };
}

test("a tool that throws leads to an error that the model reads", async () => {
  const { status, said } = await callOf("call Throws {}");
  assert.equal(status, "error");
  assert.match(said, /tool_threw.*the toy broke/);
});

test("a tool that hangs is stopped at its deadline", async () => {
  const { status, said } = await callOf("call Hangs {}");
  assert.equal(status, "timed_out");
  assert.match(said, /stopped after 0\.1 s/);
});

test("a tool that returns nothing is reported as without a result", async () => {
  const { status, said } = await callOf("call ReturnsNothing {}");
  assert.equal(status, "success");
  assert.match(said, /\(no result\)/);
});

// Contract: durability-76
test("a result of 50 MB is truncated for the model, stored in full, and read in slices", async () => {
  const { status, conversation, result } = await callOf("call ReturnsMuch {}");
  assert.equal(status, "success");
  assert.ok(result.isTruncated);
  assert.ok(result.finalText.length < 9_000);
  assert.ok(result.tokens.withheld > 1_000_000);
  const name = result.cacheVarResult ?? assert.fail("it is kept");
  const slice = await api.readVariable(conversation, name, "?start=52428790&length=100");
  assert.equal(slice.text, "6789abcdef");
});

test("a call of an unknown tool leads to an error with the nearest names", async () => {
  const { status, said } = await callOf('call Recrod {"line":"x"}');
  assert.equal(status, "not_found");
  assert.match(said, /Record/);
});

for (const [args, says] of [
  ['{"line": "x', /JSON/],
  ["[1,2]", /object/],
  ['{"line": 5, "extra": {}}', /recorded 5|line/],
  ["{}", /line/],
  ["\\u0000", /JSON/],
] as const) {
  test(`a model that sends ${args} as arguments gets an error, or its call is repaired`, async () => {
    const { said } = await callOf(`call Record ${args}`);
    assert.match(said, says);
  });
}

/** Checks that a turn failed with this code and kept its partial text. */
async function failing(input: string, on = api): Promise<RunView & { readonly said: string }> {
  const { view, events } = await turn(input, on);
  assert.equal(view.error?.phase, "model", JSON.stringify(view.error));
  return { ...view, said: spokenText(events) };
}

test("if the model's stream breaks, the run fails and keeps the received text", async () => {
  const { status, error, said } = await failing("die in mid-stream");
  assert.equal(status, "failed");
  assert.equal(error?.code, "connection");
  assert.equal(said, "Half a");
});

test("if the model's stream breaks within its calls, none runs", async () => {
  const { run, events, view } = await turn("die in a call");
  assert.equal(view.error?.code, "connection");
  assert.deepEqual(eventsOf(events, "call.proposed"), []);
  const response = await fetch(`${server.url}/v1/responses/${run}`);
  const { output, status, error } = (await response.json()) as Record<string, unknown>;
  assert.equal(status, "failed");
  assert.ok(error !== null);
  assert.deepEqual(JSON.stringify(output).match(/"mcp_call"/), null);
});

test("a model that stops sending is aborted after the silence limit", async () => {
  // Uses a separate server, because only this test needs short timeouts.
  await using quiet = await createServerFolder();
  const environment = { ...upstream.environment, TOY_SILENCE_MS: "3000" };
  await using impatient = await startServerProcess({
    folder: quiet,
    script: toyServer,
    environment,
  });
  const { status, error, said } = await failing("never end", createApi(impatient.url));
  assert.equal(status, "expired");
  assert.equal(error?.code, "timeout");
  assert.equal(said, "And so on");
});

test("an empty model response is requested once more, and then the turn ends", async () => {
  const before = upstream.requests.length;
  const { view } = await turn("say nothing");
  assert.equal(view.status, "completed");
  assert.equal(upstream.requests.length - before, 2);
});

test("a wrong key and an unknown model lead to different errors", async () => {
  assert.equal((await failing("wrong key")).error?.code, "authentication");
  assert.equal((await failing("not found")).error?.code, "model_not_found");
});

test("an unavailable model is tried three times, and the retries are reported", async () => {
  const before = upstream.requests.length;
  const { view, events } = await turn("die early");
  assert.equal(view.error?.code, "connection");
  assert.equal(upstream.requests.length - before, 3);
  assert.equal(eventsOf(events, "model.retry").length, 2);
});

test("a failing model ends a stream of the Responses API with response.failed", async () => {
  const response = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      model: "custom/scripted",
      input: "die in mid-stream",
      stream: true,
      tools: [groupTool("toys")],
    }),
  });
  const events = await Array.fromAsync(readEventStream(response));
  const last = events.at(-1)?.data === "[DONE]" ? events.at(-2) : events.at(-1);
  assert.equal(last?.event, "response.failed");
  const { response: failed } = JSON.parse(last?.data ?? "") as {
    response: { status: string; error: { code: string; message: string } };
  };
  assert.equal(failed.status, "failed");
  assert.ok(failed.error.message.length > 10);
});

test("if the client requests JSON, a model that fails before any output is an HTTP error", async () => {
  const response = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "custom/scripted", input: "wrong key" }),
  });
  assert.equal(response.status, 502);
  const { error } = (await response.json()) as { error: { code: string } };
  assert.equal(error.code, "server_error");
});

test("afterwards the server still answers, and has logged no internal error", async () => {
  const { view } = await turn("Hello");
  assert.equal(view.status, "completed");
  assert.doesNotMatch(server.output(), /failed|Error|unhandled/i);
});
