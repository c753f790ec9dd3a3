import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo, type TestApp } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const path = "/v1/responses";
const agents = { reader: { groups: [{ group: "g" }] } };
const steps = [{ calls: [{ name: "Read", args: {} }] }, "It says slate.", "As I said: slate."];

interface Item {
  readonly id: string;
  readonly type: string;
  readonly encrypted_content?: string;
}

interface Answer {
  readonly status: string;
  readonly output: readonly Item[];
  readonly error?: { readonly code: string; readonly param: string; readonly message: string };
}

async function post({ fetch }: TestApp, body: object): Promise<Answer> {
  return (await (await fetch(requestTo("POST", path, body))).json()) as Answer;
}

/** An app whose agent has read a file, the model, and the client's history. */
async function afterRead({ store }: { readonly store: boolean }) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, tools: [tool("Read", () => "slate")], agents });
  const question = { role: "user", content: "What does it say?" };
  const { output } = await post(app, { model: "reader", store, input: [question] });
  return { app, model, question, output };
}

function lastMessages(model: ScriptedModel): readonly Message[] {
  return model.requests.at(-1)?.messages ?? [];
}

for (const store of [false, true])
  // Contract: history-10
  test(`a client that returns the receipt of a call gives the model its result (store ${store})`, async () => {
    const { app, model, question, output } = await afterRead({ store });
    const [summary, answer] = output;
    assert.equal(summary?.type, "reasoning");
    assert.doesNotMatch(JSON.stringify(summary), /slate/);
    const input = [question, summary, answer, { role: "user", content: "Again?" }];
    const again = await post(app, { model: "reader", store: false, input });
    assert.equal(again.status, "completed");
    const result = lastMessages(model).find(({ role }) => role === "tool");
    assert.equal(result?.content, "slate");
  });

test("every read of a response has the same receipt", async () => {
  const { app, output } = await afterRead({ store: true });
  const id = output[0]?.id.replace(/^rs_/, "resp_").replace(/_\d+$/, "") ?? "";
  const read = await app.call("GET", `${path}/${id}`);
  assert.equal(read.status, 200);
  assert.deepEqual((read.body as unknown as Answer).output, output);
});

test("a receipt without its id works, because some clients omit ids", async () => {
  const { app, model, question, output } = await afterRead({ store: false });
  const bare = output.map(({ id: _id, ...item }) => item);
  const input = [question, ...bare, { role: "user", content: "Again?" }];
  await post(app, { model: "reader", store: false, input });
  const result = lastMessages(model).find(({ role }) => role === "tool");
  assert.equal(result?.content, "slate");
});

test("a changed receipt, and one of another user, are errors that name the item", async () => {
  const { app, question, output } = await afterRead({ store: false });
  const [summary] = output;
  const sealed = summary?.encrypted_content ?? "";
  const changed = { ...summary, encrypted_content: sealed.slice(0, -4) + "AAAA" };
  const refused = await post(app, { model: "reader", input: [question, changed] });
  assert.equal(refused.error?.param, "input[1].encrypted_content");
  const other = { ...summary, encrypted_content: app.services.sealer.seal("ben", "{}") };
  const others = await post(app, { model: "reader", input: [question, other] });
  assert.equal(others.error?.param, "input[1].encrypted_content");
  assert.match(others.error?.message ?? "", /another user/);
});
