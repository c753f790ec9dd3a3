import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo, type TestApp } from "../testing/app-fixtures.ts";
import { connectMcp } from "../testing/mcp-client.ts";
import { asking, tool } from "../testing/run-fixtures.ts";

const apiKeys = [
  { name: "ann", key: "k-ann" },
  { name: "bob", key: "k-bob" },
];
const tools = [tool("Look", () => "seen"), asking("Ask", () => "asked")];

function createApp(more: Partial<Parameters<typeof createTestApp>[0]> = {}): TestApp {
  return createTestApp({ model: new ScriptedModel([]), tools, apiKeys, ...more });
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

function send(
  app: TestApp,
  body: object | undefined,
  headers: { readonly [name: string]: string },
  { method = "POST", path = "/mcp" } = {},
): Promise<Response> {
  const request = requestTo(method, path, body);
  request.headers.set("Accept", "application/json, text/event-stream");
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  return app.fetch(request);
}

const ann = { Authorization: "Bearer k-ann" };
const bob = { Authorization: "Bearer k-bob" };

test("a request without a valid key is rejected on every MCP path", async () => {
  const app = createApp();
  for (const path of ["/mcp", "/mcp/groups/g"])
    for (const key of ["", "Bearer wrong"]) {
      const response = await send(app, initialize, { Authorization: key }, { path });
      assert.equal(response.status, 401);
    }
});

test("pages of other origins are rejected on every MCP path", async () => {
  const app = createApp();
  for (const path of ["/mcp", "/mcp/groups/g"]) {
    for (const origin of ["http://evil.example", "null"]) {
      const response = await send(app, initialize, { ...ann, Origin: origin }, { path });
      assert.equal(response.status, 403);
    }
    const foreign = { ...ann, "Sec-Fetch-Site": "cross-site" };
    const response = await send(app, undefined, foreign, { path, method: "GET" });
    assert.equal(response.status, 403);
  }
});

test("a session belongs to its key and its address", async () => {
  const app = createApp();
  const started = await send(app, initialize, ann);
  assert.equal(started.status, 200);
  const session = { "Mcp-Session-Id": started.headers.get("mcp-session-id") ?? "" };
  await started.text();
  const own = await send(app, list, { ...ann, ...session });
  assert.equal(own.status, 200);
  await own.text();
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = method === "POST" ? list : undefined;
    assert.equal((await send(app, body, { ...bob, ...session }, { method })).status, 404);
    const path = "/mcp/groups/g";
    assert.equal((await send(app, body, { ...ann, ...session }, { method, path })).status, 404);
  }
  assert.equal((await send(app, list, { ...ann, "Mcp-Session-Id": "other" })).status, 404);
  const none = await send(app, list, ann);
  assert.equal(none.status, 400);
});

test("a call of another key cannot be awaited", async () => {
  const app = createApp({ mcp: { waitMs: 10 } });
  const client = await connectMcp(app, { key: "k-ann" });
  const waiting = await client.callTool({ name: "Ask", arguments: {} });
  const id = /"id": "(\w+)"/.exec(JSON.stringify(waiting.content).replaceAll("\\", ""))?.[1];
  assert.ok(id);
  const other = await connectMcp(app, { key: "k-bob" });
  for (const awaited of [id, "resp_missing", undefined]) {
    const result = await other.callTool({ name: "AwaitCall", arguments: { id: awaited } });
    assert.equal(result.isError, true);
  }
  await client.close();
  await other.close();
});

test("a principal has a limited number of sessions, and the longest unused one ends", async () => {
  const app = createApp({ mcp: { sessionsOfOne: 2 } });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const response = await send(app, initialize, ann);
    ids.push(response.headers.get("mcp-session-id") ?? "");
    await response.text();
  }
  const statuses = [];
  for (const id of ids) {
    const response = await send(app, list, { ...ann, "Mcp-Session-Id": id });
    statuses.push(response.status);
    await response.text();
  }
  assert.deepEqual(statuses, [404, 200, 200]);
  const others = await send(app, initialize, bob);
  assert.equal(others.status, 200);
});

test("bad messages get errors of the protocol, not of the server", async () => {
  const app = createApp();
  const text = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { ...ann, "Content-Type": "application/json" },
    body: "{",
  });
  assert.equal((await app.fetch(text)).status, 400);
  assert.equal((await send(app, [list], ann)).status, 400);
  const huge = { ...list, params: { cursor: "x".repeat(5 * 1_048_576) } };
  assert.equal((await send(app, huge, ann)).status, 413);
  const client = await connectMcp(app, { key: "k-ann" });
  await assert.rejects(client.callTool({ name: "Missing", arguments: {} }), /no tool "Missing"/);
  await assert.rejects(client.readResource({ uri: "capstan://files/file-x" }), /no resource/);
  await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /no resource/);
  await assert.rejects(client.getPrompt({ name: "missing" }), /no prompt/);
  await assert.rejects(client.listTools({ cursor: "900" }), /cursor/);
  await client.close();
});

test("a message has limited depth and values, and no key twice", async () => {
  const app = createApp();
  const post = (text: string) => {
    const headers = { ...ann, "content-type": "application/json" };
    const url = "http://localhost/mcp";
    return app.fetch(new Request(url, { method: "POST", body: text, headers }));
  };
  const deep = await post(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  assert.equal(deep.status, 400);
  assert.match(await deep.text(), /nested deeper than 1000 levels/);
  const many = await post(`[${"1,".repeat(60_000)}1]`);
  assert.equal(many.status, 413);
  const call =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Ask","name":"Look"}}';
  const twice = await post(call);
  assert.equal(twice.status, 400);
  assert.match(await twice.text(), /params has the key \\"name\\" twice/);
});

test("the address of a group offers its tools only", async () => {
  const app = createApp();
  const client = await connectMcp(app, { key: "k-ann", path: "/mcp/groups/g" });
  const { tools: listed } = await client.listTools();
  assert.deepEqual(listed.map(({ name }) => name).toSorted(), ["Ask", "AwaitCall", "Look"]);
  await client.close();
  const other = await connectMcp(app, { key: "k-ann", path: "/mcp/groups/other" });
  const none = await other.listTools();
  assert.deepEqual(
    none.tools.map(({ name }) => name),
    ["AwaitCall"],
  );
  await other.close();
});

test("the errors of the server do not reach clients", async () => {
  const lines: string[] = [];
  const app = createApp({ log: (line) => lines.push(line) });
  const client = await connectMcp(app, { key: "k-ann" });
  const { store } = app.services.runs;
  Object.assign(store, {
    getRequestKey: () => Promise.reject(new Error("cannot open /secret/path")),
  });
  const result = await client.callTool({ name: "Look", arguments: {} });
  assert.equal(result.isError, true);
  assert.doesNotMatch(JSON.stringify(result), /secret/);
  assert.match(lines.join("\n"), /secret/);
  await client.close();
});

test("large calls of a principal count against its share of the memory until they end", async () => {
  const app = createApp({ limits: { bytesOfOne: 6_000_000 } });
  const call = {
    jsonrpc: "2.0",
    id: 3,
    method: "tools/call",
    params: { name: "Look", arguments: { text: "x".repeat(300_000) } },
  };
  const sent = await Promise.all([1, 2, 3].map(() => send(app, call, ann)));
  const statuses = sent.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.equal(statuses.at(-1), 429);
  await Promise.all(sent.map((response) => response.text()));
  assert.notEqual((await send(app, call, ann)).status, 429);
});

test("a message of more than 1 MB is rejected, and the error names references", async () => {
  const response = await send(createApp(), { ...list, padding: "x".repeat(1_048_576) }, ann);
  assert.equal(response.status, 413);
  assert.match(await response.text(), /\$VAR_REF/);
});
