import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListView, RunView } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const apiKeys = [
  { name: "ann", key: "a".repeat(20) },
  { name: "bob", key: "b".repeat(20) },
];

test("added messages are listed with the runs of their conversation, to their owner only", async () => {
  const app = createTestApp({ model: new ScriptedModel(["Yes."]), apiKeys });
  const as = async (name: string, method: string, path: string, body?: object) => {
    const request = requestTo(method, path, body);
    request.headers.set("authorization", `Bearer ${name.slice(0, 1).repeat(20)}`);
    const response = await app.fetch(request);
    const answer = (await response.json()) as ListView<RunView> & { readonly id: string };
    return { status: response.status, body: answer };
  };
  const { id } = (await as("ann", "POST", "/v1/conversations", { title: "Old" })).body;
  const long = "long ".repeat(10_000);
  const items = [
    { role: "user", content: "Question" },
    { role: "assistant", content: long },
  ];
  assert.equal((await as("ann", "POST", `/v1/conversations/${id}/items`, { items })).status, 200);
  // Changes of variables stay hidden.
  const variable = `/v1/conversations/${id}/variables/x`;
  assert.equal((await as("ann", "PUT", variable, { text: "1" })).status, 200);
  const [added, ...more] = (await as("ann", "GET", `/v1/conversations/${id}/runs`)).body.data;
  assert.deepEqual([added?.added, added?.input_cut, more.length], [true, true, 0]);
  const input = `/v1/responses/${added?.id}/input_items?order=asc`;
  const read = JSON.stringify((await as("ann", "GET", input)).body.data);
  assert.ok(read.includes(long) && read.includes("Question"));
  assert.equal((await as("bob", "GET", input)).status, 404);
  const search = "/v1/conversations/search?query=question";
  assert.equal((await as("ann", "GET", search)).body.data.length, 1);
  assert.equal((await as("bob", "GET", search)).body.data.length, 0);
  assert.equal((await as("ann", "GET", `/v1/responses/${added?.id}`)).status, 404);
  // Clients that know no response of the conversation can continue it.
  const conversation = { id, head: null };
  const said = await as("ann", "POST", "/v1/responses", { input: "More?", conversation });
  assert.equal(said.status, 200, JSON.stringify(said.body));
  const listed = (await as("ann", "GET", `/v1/conversations/${id}/runs`)).body.data;
  assert.deepEqual(
    listed.map((run) => run.added),
    [true, undefined],
  );
});
