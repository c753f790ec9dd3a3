import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import type { RunRecord } from "@capstan/store";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo, type TestApp } from "../../testing/app-fixtures.ts";
import { asking, tool } from "../../testing/run-fixtures.ts";
import type { ResolvedItem, StatedMessage } from "./history-item.ts";
import { restatedRun } from "./restated-run.ts";

const agents = { reader: { groups: [{ group: "g" }], history: "full" as const } };
const marked = { prompt_cache_key: "talk-1" };

interface Turn {
  readonly model: ScriptedModel;
  readonly app: TestApp;
}

function begin(steps: readonly ScriptedStep[]): Turn {
  const model = new ScriptedModel(steps);
  const tools = [tool("Read", () => "slate"), asking("Ask", () => "granted")];
  return { model, app: createTestApp({ model, tools, agents }) };
}

async function post(
  { app }: Turn,
  path: string,
  body: object,
  headers: { readonly [name: string]: string } = {},
): Promise<Body> {
  const request = requestTo("POST", path, { model: "reader", ...body });
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  const response = await app.fetch(request);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Body;
}

interface Body {
  readonly id: string;
  readonly output: readonly { readonly id: string; readonly type: string }[];
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

const readSteps = [{ calls: [{ name: "Read" }] }, "It says slate.", "As I said.", "Yes."];

const sentTo = ({ model }: Turn): readonly Message[] => model.requests.at(-1)?.messages ?? [];

const results = (turn: Turn): readonly string[] =>
  sentTo(turn).flatMap((message) => (message.role === "tool" ? [message.content] : []));

const users = (turn: Turn): readonly string[] =>
  sentTo(turn).flatMap((message) => (message.role === "user" ? [String(message.content)] : []));

const ask = (content: string) => ({ role: "user", content });
const say = (content: string) => ({ role: "assistant", content });

for (const [name, mark] of [
  ["prompt_cache_key", { body: marked, headers: {} }],
  ["the header Session-Id", { body: {}, headers: { "session-id": "s-1" } }],
  ["the header X-Session-Id", { body: {}, headers: { "x-session-id": "s-1" } }],
] as const)
  for (const store of [false, true])
    // Contract: history-11
    test(`a Chat Completions client that resends its history keeps the server's results, by ${name} (store ${store})`, async () => {
      const turn = begin(readSteps);
      const { body, headers } = mark;
      const path = "/v1/chat/completions";
      const send = (messages: readonly object[]) =>
        post(turn, path, { ...body, store, messages }, headers);
      await send([ask("What does it say?")]);
      await send([ask("What does it say?"), say("It says slate."), ask("Sure?")]);
      assert.deepEqual(results(turn), ["slate"]);
      assert.deepEqual(users(turn), ["What does it say?", "Sure?"]);
      const all = [
        ask("What does it say?"),
        say("It says slate."),
        ask("Sure?"),
        say("As I said."),
      ];
      await send([...all, ask("Really?")]);
      assert.deepEqual(results(turn), ["slate"]);
      assert.deepEqual(users(turn), ["What does it say?", "Sure?", "Really?"]);
    });

// Contract: history-11
test("if a Responses client drops the items of server calls, the model still reads their results, found by the ids of the other items", async () => {
  const turn = begin(readSteps);
  const first = await post(turn, "/v1/responses", { input: [ask("What does it say?")] });
  const messages = first.output.filter(({ type }) => type === "message");
  const input = [ask("What does it say?"), ...messages, ask("Sure?")];
  await post(turn, "/v1/responses", { input });
  assert.deepEqual(results(turn), ["slate"]);
  assert.deepEqual(users(turn), ["What does it say?", "Sure?"]);
});

// Contract: history-12
test("a history that differs from the stored one is read as stated", async () => {
  const histories = [
    [ask("What does it say?"), say("It says chalk."), ask("Sure?")],
    [ask("What does it mean?"), say("It says slate."), ask("Sure?")],
    [say("It says slate."), ask("Sure?")],
    [ask("Sure?")],
  ];
  for (const messages of histories) {
    const turn = begin(readSteps);
    const path = "/v1/chat/completions";
    await post(turn, path, { ...marked, messages: [ask("What does it say?")] });
    await post(turn, path, { ...marked, messages });
    assert.deepEqual(results(turn), []);
    assert.equal(users(turn).length, messages.filter(({ role }) => role === "user").length);
  }
});

// Contract: history-12
test("a regenerated answer continues the run before it", async () => {
  const turn = begin(readSteps);
  const path = "/v1/chat/completions";
  const send = (messages: readonly object[]) => post(turn, path, { ...marked, messages });
  const history = [ask("What does it say?"), say("It says slate."), ask("Sure?")];
  await send(history.slice(0, 1));
  await send(history);
  await send(history);
  assert.deepEqual(results(turn), ["slate"]);
  assert.deepEqual(users(turn), ["What does it say?", "Sure?"]);
});

// Contract: history-13
test("a user's marks never find a run of another user", async () => {
  const model = new ScriptedModel(readSteps);
  const apiKeys = [
    { name: "ann", key: "ANN" },
    { name: "ben", key: "BEN" },
  ];
  const turn = {
    model,
    app: createTestApp({ model, tools: [tool("Read", () => "slate")], agents, apiKeys }),
  };
  const path = "/v1/chat/completions";
  const send = (key: string, messages: readonly object[]) =>
    post(turn, path, { ...marked, messages }, { authorization: `Bearer ${key}` });
  await send("ANN", [ask("What does it say?")]);
  await send("BEN", [ask("What does it say?"), say("It says slate."), ask("Sure?")]);
  assert.deepEqual(results(turn), []);
});

// Contract: history-13
test("a stored run does not continue one that its client asked not to store", async () => {
  const turn = begin(readSteps);
  const path = "/v1/chat/completions";
  await post(turn, path, { ...marked, store: false, messages: [ask("What does it say?")] });
  const messages = [ask("What does it say?"), say("It says slate."), ask("Sure?")];
  await post(turn, path, { ...marked, store: true, messages });
  assert.deepEqual(results(turn), []);
});

const askSteps = (texts: readonly string[]) =>
  texts.flatMap((text) => [{ calls: [{ name: "Ask" }] }, text]);

/** Starts a session whose user allows `Ask` for the session. */
async function allowAsk(turn: Turn, body: object, headers: { [name: string]: string }) {
  const first = await post(turn, "/v1/responses", { ...body, input: "Go" }, headers);
  assert.equal(first.output.at(-1)?.type, "mcp_approval_request");
  const { data } = await turn.app.services.runs.store.listApprovals({ owner: "local" });
  const [approval] = data;
  const decision = { decision: "allow", scope: "session", covers: { type: "offer" } };
  const answered = await turn.app.call("POST", `/v1/approvals/${approval?.id ?? ""}`, decision);
  assert.equal(answered.status, 200);
  const next = { ...body, input: [], previous_response_id: first.id };
  const second = await post(turn, "/v1/responses", next, headers);
  assert.equal(second.output.at(-1)?.type, "message");
}

// Contract: history-14
test("a grant for the session applies to the next request with the same session header, and to no other", async () => {
  const asksAgain = { calls: [{ name: "Ask" }] };
  const turn = begin([...askSteps(["Done.", "Again."]), asksAgain, asksAgain]);
  const body = { approvals: "deferred", safety_identifier: "alice" };
  const headers = { "session-id": "talk-1" };
  await allowAsk(turn, body, headers);
  const third = await post(turn, "/v1/responses", { ...body, input: "Once more" }, headers);
  assert.equal(third.output.at(-1)?.type, "message", "the session's grant");
  for (const [others, header] of [
    [body, "talk-2"],
    [{ ...body, safety_identifier: "mallory" }, "talk-1"],
  ] as const) {
    const other = await post(
      turn,
      "/v1/responses",
      { ...others, input: "Elsewhere" },
      { "session-id": header },
    );
    assert.equal(other.output.at(-1)?.type, "mcp_approval_request");
  }
});

// Contract: history-15
test("an equal prompt_cache_key does not join different histories, because applications share such keys", async () => {
  const turn = begin(askSteps(["Done.", "Other."]));
  const body = { ...marked, approvals: "deferred" };
  await allowAsk(turn, body, {});
  const other = await post(turn, "/v1/responses", { ...body, input: "Hello, unrelated" });
  assert.equal(other.output.at(-1)?.type, "mcp_approval_request");
});

// Contract: history-11
test("a long history is compared in time that grows with its length", async () => {
  const turns = Array.from({ length: 300 }, (_, index) => [
    { role: "user", content: `question ${index}` },
    { role: "assistant", content: `answer ${index} `.repeat(400) },
  ]);
  const lineage = turns.map((messages, index) => ({
    run: { id: `resp_${index}` } as RunRecord,
    messages: messages as readonly Message[],
  }));
  const items = turns.flat().map((message, at): ResolvedItem => ({
    type: "message",
    at,
    source: message,
    message: message as StatedMessage,
  }));
  let reads = 0;
  const counted = lineage.map(({ run, messages }) => ({
    run,
    get messages() {
      reads++;
      return messages;
    },
  }));
  assert.equal((await restatedRun(items, counted))?.id, "resp_299");
  assert.equal(reads, turns.length);
});
