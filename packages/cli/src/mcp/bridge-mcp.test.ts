import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, type TestApp, tool } from "@capstan/server/testing";
import { bridgeMcp } from "./bridge-mcp.ts";

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: {
    readonly protocolVersion?: string;
    readonly content?: { readonly text: string }[];
    readonly tools?: { readonly name: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Runs a bridge in front of a server's app, which the test can replace to simulate a restart. */
function startBridge(createApp: () => TestApp) {
  let app = createApp();
  let connected = 0;
  const lines: string[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const replies: Reply[] = [];
  const waiting = new Map<number, (reply: Reply) => void>();
  async function* input() {
    for (;;) {
      yield* lines.splice(0);
      if (isOver) return;
      await news.promise;
      news = Promise.withResolvers();
    }
  }
  const send = (line: string) => {
    lines.push(line);
    news.resolve();
  };
  const ended = bridgeMcp({
    lines: input(),
    write(message) {
      assert.ok(!message.includes("\n"));
      const reply = JSON.parse(message) as Reply;
      replies.push(reply);
      if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    },
    connect: async () => {
      connected++;
      return { url: "http://127.0.0.1/mcp" };
    },
    log: () => {},
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  });
  return {
    send,
    replies,
    connections: () => connected,
    ask(id: number, method: string, params: object = {}): Promise<Reply> {
      const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      return reply;
    },
    notify: (method: string, params: object = {}) =>
      send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    restart: () => (app = createApp()),
    async end() {
      isOver = true;
      news.resolve();
      await ended;
    },
  };
}

const tools = [
  tool("Echo", ({ text }) => `echo ${String(text)}`),
  tool(
    "Hang",
    (_args, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => resolve("stopped"));
      }),
  ),
];
const createApp = () => createTestApp({ model: new ScriptedModel([]), tools });

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

test("a client with a session lists and calls tools", async () => {
  const bridge = startBridge(createApp);
  const { result } = await bridge.ask(1, "initialize", hello);
  assert.equal(result?.protocolVersion, "2025-11-25");
  bridge.notify("notifications/initialized");
  const listed = await bridge.ask(2, "tools/list");
  assert.ok(listed.result?.tools?.some(({ name }) => name === "Echo"));
  const called = await bridge.ask(3, "tools/call", { name: "Echo", arguments: { text: "ä\nb" } });
  assert.equal(called.result?.content?.[0]?.text, "echo ä\nb");
  await bridge.end();
});

test("a client that does not wait for the first response gets all responses", async () => {
  const bridge = startBridge(createApp);
  const replies = await Promise.all([
    bridge.ask(1, "initialize", hello),
    bridge.ask(2, "tools/call", { name: "Echo", arguments: { text: "a" } }),
  ]);
  assert.equal(replies[1].result?.content?.[0]?.text, "echo a");
  await bridge.end();
});

test("a client of the protocol 2026-07-28 needs no session, and cancels a request", async () => {
  const bridge = startBridge(createApp);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const called = await bridge.ask(1, "tools/call", {
    name: "Echo",
    arguments: { text: "a" },
    _meta,
  });
  assert.equal(called.result?.content?.[0]?.text, "echo a", JSON.stringify(called));
  void bridge.ask(2, "tools/call", { name: "Hang", arguments: {}, _meta });
  bridge.notify("notifications/cancelled", { requestId: 2, _meta });
  const after = await bridge.ask(3, "server/discover", { _meta });
  assert.equal(after.error, undefined);
  assert.ok(!bridge.replies.some(({ id }) => id === 2), JSON.stringify(bridge.replies));
  await bridge.end();
});

test("after a restart of the server, the next call runs exactly once", async () => {
  const bridge = startBridge(createApp);
  await bridge.ask(1, "initialize", hello);
  bridge.notify("notifications/initialized");
  bridge.restart();
  const called = await bridge.ask(2, "tools/call", { name: "Echo", arguments: { text: "a" } });
  assert.equal(called.result?.content?.[0]?.text, "echo a", JSON.stringify(called));
  assert.equal(bridge.replies.filter(({ id }) => id === 1).length, 1);
  await bridge.end();
});

test("lines that are not messages get an error, and later lines are read", async () => {
  const bridge = startBridge(createApp);
  for (const line of ["", "nonsense", "[]", "12", `{"id": ${"1".repeat(5_000_000)}}`])
    bridge.send(line);
  const { result } = await bridge.ask(1, "initialize", hello);
  assert.equal(result?.protocolVersion, "2025-11-25");
  const errors = bridge.replies.filter(({ error }) => error?.code === -32_700);
  assert.equal(errors.length, 4);
  await bridge.end();
});

test("errors of the server become errors of the request", async () => {
  const bridge = startBridge(() =>
    createTestApp({ model: new ScriptedModel([]), tools, apiKeys: [{ name: "a", key: "k" }] }),
  );
  const { error } = await bridge.ask(1, "initialize", hello);
  assert.match(error?.message ?? "", /requires a key/);
  await bridge.end();
});
