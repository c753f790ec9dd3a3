import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RunView } from "@capstan/contract";
import { type Api, createApi, eventsOf, groupTool, readEventStream, spokenText } from "./api.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
  toyServer,
} from "./server-process.ts";
import { obey, startUpstream, type Upstream, type UpstreamAnswer } from "./upstream.ts";

const resources = new AsyncDisposableStack();
let upstream: Upstream;
let folder: ServerFolder;
let server: ServerProcess;
let api: Api;

/** How the model fails, by the message it is sent. */
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

/** The one call of a completed turn: the model continues after any behaviour of a tool. */
async function callOf(input: string) {
  const { conversation, events, view } = await turn(input);
  assert.equal(view.status, "completed");
  const [settled, ...others] = eventsOf(events, "call.settled");
  assert.ok(settled !== undefined && others.length === 0);
  return { conversation, ...settled, said: spokenText(events) };
}

test("a tool that throws is an outcome that the model reads", async () => {
  const { status, said } = await callOf("call Throws {}");
  assert.equal(status, "error");
  assert.match(said, /tool_threw.*the toy broke/);
});

test("a tool that hangs is stopped at its deadline", async () => {
  const { status, said } = await callOf("call Hangs {}");
  assert.equal(status, "timed_out");
  assert.match(said, /stopped after 0\.1 s/);
});

test("a tool that returns nothing says so", async () => {
  const { status, said } = await callOf("call ReturnsNothing {}");
  assert.equal(status, "success");
  assert.match(said, /\(no result\)/);
});

// Contract: durability-76
test("a result of 50 MB is cut for the model, kept whole, and read in slices", async () => {
  const { status, conversation, result } = await callOf("call ReturnsMuch {}");
  assert.equal(status, "success");
  assert.ok(result.isTruncated);
  assert.ok(result.finalText.length < 9_000);
  assert.ok(result.tokens.withheld > 1_000_000);
  const name = result.cacheVarResult ?? assert.fail("it is kept");
  const slice = await api.readVariable(conversation, name, "?start=52428790&length=100");
  assert.equal(slice.text, "6789abcdef");
});

test("a tool that is not there is an outcome with the nearest names", async () => {
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
  test(`a model that sends ${args} as arguments is told, or understood`, async () => {
    const { said } = await callOf(`call Record ${args}`);
    assert.match(said, says);
  });
}

/** That a turn failed with this code, and that what was said is kept. */
async function failing(input: string, on = api): Promise<RunView & { readonly said: string }> {
  const { view, events } = await turn(input, on);
  assert.equal(view.error?.phase, "model", JSON.stringify(view.error));
  return { ...view, said: spokenText(events) };
}

test("a model that dies in mid-stream: the run fails, and keeps what was said", async () => {
  const { status, error, said } = await failing("die in mid-stream");
  assert.equal(status, "failed");
  assert.equal(error?.code, "connection");
  assert.equal(said, "Half a");
});

test("a model that dies in the middle of its calls: none is run", async () => {
  const { run, events, view } = await turn("die in a call");
  assert.equal(view.error?.code, "connection");
  assert.deepEqual(eventsOf(events, "call.proposed"), []);
  const response = await fetch(`${server.url}/v1/responses/${run}`);
  const { output, status, error } = (await response.json()) as Record<string, unknown>;
  assert.equal(status, "failed");
  assert.ok(error !== null);
  assert.deepEqual(JSON.stringify(output).match(/"mcp_call"/), null);
});

test("a model that never ends is given up after a silence", async () => {
  // On a server of its own: no other test is to be quick.
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

test("a model that says nothing is asked once more, and then the turn ends", async () => {
  const before = upstream.requests.length;
  const { view } = await turn("say nothing");
  assert.equal(view.status, "completed");
  assert.equal(upstream.requests.length - before, 2);
});

test("a wrong key, and a model that is not there, are told apart", async () => {
  assert.equal((await failing("wrong key")).error?.code, "authentication");
  assert.equal((await failing("not found")).error?.code, "model_not_found");
});

test("a model that is never there is tried three times, with its retries told", async () => {
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

test("a failing model is an answer, not an error, where JSON is asked for", async () => {
  const response = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "custom/scripted", input: "wrong key" }),
  });
  assert.equal(response.status, 200);
  const { status, error } = (await response.json()) as Record<string, unknown>;
  assert.equal(status, "failed");
  assert.ok(error !== null);
});

test("after all that the server is well, and nothing was logged as its own fault", async () => {
  const { view } = await turn("Hello");
  assert.equal(view.status, "completed");
  assert.doesNotMatch(server.output(), /failed|Error|unhandled/i);
});
