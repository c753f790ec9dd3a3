import assert from "node:assert/strict";
import { test } from "node:test";
import type { CreatedShare, SharedConversation } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const keys = [
  { name: "ann", key: "a".repeat(32), rights: ["ask", "approve"] },
  { name: "bob", key: "b".repeat(32), rights: ["ask", "approve"] },
  { name: "agent", key: "g".repeat(32), rights: ["ask"] },
] as const;

const tools = [tool("Look", () => "the secret output")];

/** Serves an app whose first turn calls a tool, and returns a function that sends requests. */
function serve({ sharing = true }: { readonly sharing?: boolean } = {}) {
  const model = new ScriptedModel([
    { calls: [{ name: "Look", args: { place: "the secret place" } }] },
    "It is **there**.",
    "A later answer.",
  ]);
  const app = createTestApp({ model, tools, apiKeys: keys, sharing });
  return async (method: string, path: string, options: { key?: string; body?: object } = {}) => {
    const request = requestTo(method, path, options.body);
    const key = options.key ?? "a".repeat(32);
    if (key !== "") request.headers.set("authorization", `Bearer ${key}`);
    const response = await app.fetch(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}

async function converse(send: ReturnType<typeof serve>): Promise<string> {
  const { body } = await send("POST", "/v1/conversations", { body: { title: "Where it is" } });
  await answer(send, body.id, "Where is it?");
  return body.id as string;
}

async function answer(send: ReturnType<typeof serve>, id: string, input: string): Promise<void> {
  const server = { type: "mcp", server_label: "g", server_url: "capstan://groups/g" };
  const { status, text } = await send("POST", "/v1/responses", {
    body: { conversation: id, input, tools: [server] },
  });
  assert.equal(status, 200, text);
}

test("a link shows the conversation as it was, without what tools received and returned", async () => {
  const send = serve();
  const id = await converse(send);
  const { status, body } = await send("POST", `/v1/conversations/${id}/share`, { body: {} });
  assert.equal(status, 200);
  const { token } = body as CreatedShare;
  assert.match(token, /^share_[\w-]{43}$/);
  await answer(send, id, "And now?");
  const { headers, text } = await send("GET", "/v1/shared", { key: token });
  assert.deepEqual(
    [headers.get("cache-control"), headers.get("x-robots-tag")],
    ["no-store", "noindex"],
  );
  const { title, parts } = JSON.parse(text) as SharedConversation;
  assert.equal(title, "Where it is");
  assert.deepEqual(parts, [
    { type: "message", role: "user", text: "Where is it?", files: [] },
    { type: "call", name: "Look" },
    { type: "message", role: "assistant", text: "It is **there**.", files: [] },
  ]);
  assert.doesNotMatch(text, /secret|resp_|conv_|ann/);
});

test("a link can show what tools received and returned", async () => {
  const send = serve();
  const id = await converse(send);
  const { body } = await send("POST", `/v1/conversations/${id}/share`, {
    body: { include_calls: true },
  });
  const shared = await send("GET", "/v1/shared", { key: body.token });
  const { parts } = shared.body as SharedConversation;
  const call = parts.find((part) => part.type === "call");
  assert.match(call?.input ?? "", /the secret place/);
  assert.match(call?.output ?? "", /the secret output/);
});

test("a revoked link, a replaced link and an unknown link are the same 404", async () => {
  const send = serve();
  const id = await converse(send);
  const share = `/v1/conversations/${id}/share`;
  const first = (await send("POST", share, { body: {} })).body.token;
  const second = (await send("POST", share, { body: {} })).body.token;
  const answers = [await send("GET", "/v1/shared", { key: first })];
  assert.equal((await send("GET", "/v1/shared", { key: second })).status, 200);
  assert.equal((await send("GET", share)).body.title, "Where it is");
  const listed = await send("GET", "/v1/shares");
  assert.deepEqual(
    listed.body.data.map((one: { readonly conversation: string }) => one.conversation),
    [id],
  );
  assert.equal((await send("DELETE", share)).body.deleted, true);
  assert.equal((await send("GET", share)).status, 404);
  assert.equal((await send("DELETE", share)).status, 404);
  for (const key of [second, `share_${"x".repeat(43)}`, "a".repeat(32), ""])
    answers.push(await send("GET", "/v1/shared", { key }));
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.equal(answers[0]?.status, 404);
});

test("only the user who owns a conversation can share it", async () => {
  const send = serve();
  const id = await converse(send);
  const share = `/v1/conversations/${id}/share`;
  const agent = await send("POST", share, { key: "g".repeat(32), body: {} });
  assert.deepEqual([agent.status, agent.body.error.code], [403, "right_missing"]);
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = method === "GET" ? {} : { body: {} };
    assert.equal((await send(method, share, { key: "b".repeat(32), ...body })).status, 404);
  }
  assert.deepEqual((await send("GET", "/v1/shares", { key: "b".repeat(32) })).body.data, []);
});

test("a server shares nothing unless its configuration says so", async () => {
  const send = serve({ sharing: false });
  const id = await converse(send);
  const denied = await send("POST", `/v1/conversations/${id}/share`, { body: {} });
  assert.deepEqual([denied.status, denied.body.error.code], [403, "sharing_disabled"]);
  assert.equal((await send("GET", "/v1/capstan")).body.sharing, false);
});
