import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type Tool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo, type TestApp } from "../testing/app-fixtures.ts";
import { connectMcp, type McpEra, mcpEras } from "../testing/mcp-client.ts";
import { tool } from "../testing/run-fixtures.ts";

type McpClient = Awaited<ReturnType<typeof connectMcp>>;

const parameters = { type: "object", properties: { text: { type: "string" } } } as const;

/** Creates a tool that writes, and counts its calls. */
function writer(
  name: string,
  execute: (text: string, signal: AbortSignal) => unknown = (text) => `wrote ${text}`,
  executionPolicy: "auto" | "ask-always" = "auto",
): Tool & { readonly runs: string[] } {
  const runs: string[] = [];
  const made = defineTool({
    name,
    description: name,
    parameters,
    permission: { executionPolicy },
    // Equal calls can run at the same time.
    effects: { locks: () => [] },
    execute: ({ text }, { signal }) => {
      runs.push(String(text));
      return execute(String(text), signal);
    },
  });
  return Object.assign(made, { runs });
}

function createApp(tools: readonly Tool[], mcp: Parameters<typeof createTestApp>[0]["mcp"] = {}) {
  return createTestApp({ model: new ScriptedModel([]), tools, mcp });
}

async function call(client: McpClient, name: string, args: object = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: { ...args } });
  return textOf(result);
}

function textOf({ content }: { readonly content?: unknown }): string {
  return (content as { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
}

/** Waits until a call waits for approval, and returns its id. */
async function untilWaits(client: McpClient, text: string): Promise<string> {
  const id = /"id": "(\w+)"/.exec(text)?.[1] ?? "";
  for (let shown = text; !/waits for the approval/.test(shown);) {
    assert.match(shown, /still runs/);
    shown = await call(client, "AwaitCall", { id });
  }
  return id;
}

async function pending(app: TestApp): Promise<readonly string[]> {
  const { body } = await app.call("GET", "/v1/approvals?status=pending");
  return body.data.map(({ id }) => id);
}

async function allow(app: TestApp): Promise<void> {
  for (const id of await pending(app))
    await app.call("POST", `/v1/approvals/${id}`, { decision: "allow" });
}

/** Waits for a promise that a tool settles when it runs. */
const signalled = () => Promise.withResolvers<void>();

for (const era of mcpEras) {
  test(`${era}: a call that needs approval says so, and gives its result to AwaitCall once it is allowed`, async () => {
    const send = writer("Send", undefined, "ask-always");
    const app = createApp([send], { waitMs: 10 });
    const client = await connectMcp(app, { era });
    const result = await client.callTool({ name: "Send", arguments: { text: "a" } });
    // A result that is an error makes models try something else.
    assert.equal(result.isError, undefined);
    const id = await untilWaits(client, textOf(result));
    assert.deepEqual(send.runs, []);
    await allow(app);
    let text = "";
    while (!/wrote/.test(text)) text = await call(client, "AwaitCall", { id });
    assert.match(text, /^wrote a/);
    assert.deepEqual(send.runs, ["a"]);
    await client.close();
  });

  test(`${era}: the same call again joins one that waits, and is a new call after its result was delivered`, async () => {
    const send = writer("Send", undefined, "ask-always");
    const app = createApp([send], { waitMs: 10 });
    const client = await connectMcp(app, { era });
    await untilWaits(client, await call(client, "Send", { text: "a" }));
    await untilWaits(client, await call(client, "Send", { text: "a" }));
    assert.equal((await pending(app)).length, 1);
    await allow(app);
    let text = "";
    while (!/wrote/.test(text)) text = await call(client, "Send", { text: "a" });
    assert.deepEqual(send.runs, ["a"]);
    await untilWaits(client, await call(client, "Send", { text: "a" }));
    assert.equal((await pending(app)).length, 1);
    await client.close();
  });

  test(`${era}: equal calls at the same time are separate calls`, async () => {
    const both = signalled();
    const send = writer("Send", async (text) => {
      if (send.runs.length === 2) both.resolve();
      await both.promise;
      return `wrote ${text}`;
    });
    const client = await connectMcp(createApp([send]), { era });
    const texts = await Promise.all([
      call(client, "Send", { text: "a" }),
      call(client, "Send", { text: "a" }),
    ]);
    assert.deepEqual(send.runs, ["a", "a"]);
    for (const text of texts) assert.match(text, /^wrote a/);
    await client.close();
  });

  test(`${era}: a client that gives up and repeats a running call does not run it twice`, async () => {
    const started = signalled();
    const stopped = signalled();
    const send = writer("Send", async (text, signal) => {
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      stopped.resolve();
      return `wrote ${text}`;
    });
    const client = await connectMcp(createApp([send]), { era });
    const given = new AbortController();
    const first = client.callTool(
      { name: "Send", arguments: { text: "a" } },
      { signal: given.signal },
    );
    await started.promise;
    given.abort();
    await assert.rejects(first);
    // The cancelled call stops, and its repeat reads how it ended.
    await stopped.promise;
    const result = await client.callTool({ name: "Send", arguments: { text: "a" } });
    assert.equal(result.isError, true);
    assert.deepEqual(send.runs, ["a"]);
    await client.close();
  });

  test(`${era}: a cancelled call keeps its approval request for a while`, async () => {
    const send = writer("Send", undefined, "ask-always");
    const app = createApp([send], { graceMs: 0 });
    const client = await connectMcp(app, { era });
    const given = new AbortController();
    const first = client.callTool(
      { name: "Send", arguments: { text: "a" } },
      { signal: given.signal },
    );
    while ((await pending(app)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    given.abort();
    await assert.rejects(first);
    while ((await pending(app)).length > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(send.runs, []);
    await client.close();
  });
}

test("a call whose connection was lost continues, and its repeat gets the stored result", async () => {
  const started = signalled();
  const go = signalled();
  const send = writer("Send", async (text) => {
    started.resolve();
    await go.promise;
    return `wrote ${text}`;
  });
  const app = createApp([send]);
  const client = await connectMcp(app);
  const message = {
    jsonrpc: "2.0",
    id: 77,
    method: "tools/call",
    params: { name: "Send", arguments: { text: "a" } },
  };
  const lost = new AbortController();
  const request = requestTo("POST", "/mcp", message, lost.signal);
  request.headers.set("Accept", "application/json, text/event-stream");
  request.headers.set("Mcp-Session-Id", sessionOf(client));
  const response = await app.fetch(request);
  await started.promise;
  lost.abort();
  await response.body?.cancel();
  go.resolve();
  assert.match(await call(client, "Send", { text: "a" }), /^wrote a/);
  assert.deepEqual(send.runs, ["a"]);
  await client.close();
});

function sessionOf(client: McpClient): string {
  const { sessionId } = client.transport as { readonly sessionId?: string };
  return sessionId ?? "";
}

test("clients that time out and repeat their calls run each call once", async () => {
  const started = new Map<string, () => void>();
  const send = writer("Send", async (text, signal) => {
    started.get(text)?.();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return `wrote ${text}`;
  });
  const client = await connectMcp(createApp([send]));
  const texts = Array.from({ length: 50 }, (_, n) => `${n}`);
  await Promise.all(
    texts.map(async (text) => {
      const given = new AbortController();
      const isRunning = new Promise<void>((resolve) => started.set(text, resolve));
      const first = client.callTool(
        { name: "Send", arguments: { text } },
        { signal: given.signal },
      );
      await isRunning;
      given.abort();
      await assert.rejects(first);
      await call(client, "Send", { text });
    }),
  );
  assert.deepEqual(send.runs.toSorted(), texts.toSorted());
  await client.close();
});

test("a read-only tool runs again after its call was cancelled", async () => {
  const started = signalled();
  let count = 0;
  const look = tool("Look", async (_args, { signal }) => {
    count++;
    if (count > 1) return "seen";
    started.resolve();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return "too late";
  });
  const client = await connectMcp(createApp([look]));
  const given = new AbortController();
  const first = client.callTool({ name: "Look", arguments: {} }, { signal: given.signal });
  await started.promise;
  given.abort();
  await assert.rejects(first);
  let text = "";
  while (!text.startsWith("seen")) text = await call(client, "Look");
  assert.equal(count, 2);
  await client.close();
});

test("a result can be passed to later calls by reference, also between sessions", async () => {
  const long = "x".repeat(20_000);
  const app = createApp([
    tool("Page", () => long),
    tool("Length", ({ text }) => `${String(text).length} characters`),
  ]);
  const client = await connectMcp(app);
  const result = await client.callTool({ name: "Page", arguments: {} });
  assert.match(textOf(result), /Page_1/);
  assert.ok(textOf(result).length < 10_000);
  const link = (result.content as { type: string; uri?: string }[]).find(
    ({ type }) => type === "resource_link",
  );
  const read = await client.readResource({ uri: link?.uri ?? "" });
  assert.equal((read.contents[0] as { text: string }).text, long);
  for (const era of ["legacy", "modern"] as const satisfies readonly McpEra[]) {
    const other = await connectMcp(app, { era });
    const text = await call(other, "Length", { text: "$VAR_REF{{Page_1}}" });
    assert.match(text, /^20000 characters/);
    await other.close();
  }
  await client.close();
});

test("a result that names no variable adds none", async () => {
  const client = await connectMcp(
    createApp([tool("Small", () => "x"), tool("Page", () => "x".repeat(2_000))]),
  );
  const text = await call(client, "Small");
  assert.equal(text, "x");
  assert.deepEqual((await client.listResources()).resources, []);
  const kept = await call(client, "Page");
  assert.match(kept, /Stored as Page_\d/);
  const { resources } = await client.listResources();
  const name = /Page_\d+/.exec(kept)?.[0];
  assert.deepEqual(resources.map((each) => each.name).toSorted(), [name, `${name}_args`]);
  await client.close();
});

test("results of calls at the same time have different names", async () => {
  const client = await connectMcp(
    createApp([tool("Page", ({ n }) => "x".repeat(20_000) + String(n))]),
  );
  const texts = await Promise.all([1, 2, 3].map((n) => call(client, "Page", { n })));
  const names = texts.map((text) => /Page_\d+/.exec(text)?.[0]);
  assert.equal(new Set(names).size, 3);
  const { resources } = await client.listResources();
  for (const name of names) assert.ok(resources.some((each) => each.name === name));
  await client.close();
});
