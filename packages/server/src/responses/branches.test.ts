import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

interface Body {
  readonly id: string;
  readonly head: string;
  readonly data: readonly { readonly id: string; readonly previous: string | null }[];
  readonly error?: { readonly message: string; readonly param: string };
}

async function serve(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model });
  const send = async (method: string, path: string, body?: object) => {
    const response = await app.fetch(requestTo(method, path, body));
    return { status: response.status, body: (await response.json()) as Body };
  };
  const create = async () => (await send("POST", "/v1/conversations", {})).body.id;
  const id = await create();
  /** Sends a message to the conversation, after a response or to its newest one. */
  const sendMessage = (input: string, after?: string | null, more: object = {}) =>
    send("POST", "/v1/responses", { model: "m", conversation: { id, after }, input, ...more });
  const modelInputs = () =>
    model.requests.map(({ messages }) => messages.map(({ content }) => content).slice(-4));
  const head = async () => (await send("GET", `/v1/conversations/${id}`)).body.head;
  const runs = async () => (await send("GET", `/v1/conversations/${id}/runs`)).body.data;
  return { send, create, id, sendMessage, modelInputs, head, runs };
}

test("a message after an earlier response, or at the start, begins a branch", async () => {
  const { sendMessage, modelInputs, head, runs } = await serve([
    "One.",
    "Two.",
    "Other.",
    "New.",
    "More.",
  ]);
  const first = (await sendMessage("First?")).body.id;
  const second = (await sendMessage("Second?")).body.id;
  const edited = (await sendMessage("Second, edited?", first)).body.id;
  const fresh = (await sendMessage("First, edited?", null)).body.id;
  assert.equal(await head(), fresh);
  const back = (await sendMessage("And then?", edited)).body.id;
  assert.equal(await head(), back);
  assert.deepEqual(modelInputs().slice(2), [
    ["First?", "One.", "Second, edited?"],
    ["First, edited?"],
    ["One.", "Second, edited?", "Other.", "And then?"],
  ]);
  const previous = new Map((await runs()).map((run) => [run.id, run.previous]));
  assert.deepEqual(
    [first, second, edited, fresh, back].map((id) => previous.get(id)),
    [null, first, first, null, edited],
  );
});

test("a message that names no earlier response continues the newest branch", async () => {
  const { sendMessage, modelInputs } = await serve(["One.", "Two.", "Other.", "More."]);
  const first = (await sendMessage("First?")).body.id;
  await sendMessage("Second?");
  await sendMessage("Second, edited?", first);
  await sendMessage("And then?");
  assert.deepEqual(modelInputs().at(-1), ["One.", "Second, edited?", "Other.", "And then?"]);
});

test("an unknown response, or one of another conversation, is rejected and changes nothing", async () => {
  const { sendMessage, send, create, head } = await serve(["One.", "Two."]);
  const first = (await sendMessage("First?")).body.id;
  const other = await create();
  const place = { conversation: { id: other, after: first } };
  const found = await send("POST", "/v1/responses", { model: "m", input: "x", ...place });
  assert.deepEqual([found.status, found.body.error?.param], [400, "conversation.after"]);
  const unknown = await sendMessage("x", "resp_unknown");
  assert.deepEqual([unknown.status, unknown.body.error?.param], [400, "conversation.after"]);
  const wrong = await sendMessage("x", 5 as never);
  assert.deepEqual([wrong.status, wrong.body.error?.param], [400, "conversation.after"]);
  assert.equal(await head(), first);
});

test("a message that names a stale newest response is rejected, and nothing is sent", async () => {
  const { sendMessage, send, id, head } = await serve(["One.", "Two.", "Three."]);
  const sayAt = (known: unknown, more: object = {}) => {
    const conversation = { id, head: known, ...more };
    return send("POST", "/v1/responses", { model: "m", conversation, input: "x" });
  };
  // A change of a variable is not a response.
  const path = `/v1/conversations/${id}/variables/note`;
  assert.equal((await send("PUT", path, { text: "t" })).status, 200);
  const first = await sayAt(null);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const stale = await sayAt(null);
  assert.deepEqual([stale.status, stale.body.error?.param], [409, "conversation.head"]);
  const second = (await sendMessage("Second?")).body.id;
  const branch = await sayAt(first.body.id, { after: first.body.id });
  assert.deepEqual([branch.status, branch.body.error?.param], [409, "conversation.head"]);
  assert.equal(await head(), second);
  assert.equal((await send("PUT", path, { text: "u" })).status, 200);
  assert.equal((await sayAt(second)).status, 200);
  assert.deepEqual([(await sayAt(7)).status, (await sayAt("")).status], [400, 409]);
});

test("a branch does not begin while the newest response is running", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { sendMessage } = await serve(["One.", () => promise.then(() => "Two."), "Other."]);
  const first = (await sendMessage("First?")).body.id;
  const running = await sendMessage("Second?", undefined, { background: true });
  assert.equal(running.status, 200);
  const refused = await sendMessage("Second, edited?", first);
  resolve();
  assert.equal(refused.status, 409, JSON.stringify(refused.body));
  assert.match(refused.body.error?.message ?? "", /has not ended/);
});
