import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fakeContext, toolOf } from "@capstan/core/testing";
import { isToolError } from "@capstan/core";
import { unconfined } from "@capstan/sandbox";
import { echoTool, type Message } from "./testing/fake-server.ts";
import { textOf, until } from "./testing/read-results.ts";
import { executorOf, testConnections } from "./testing/test-connections.ts";

type Reply = (
  message: Message,
  response: ServerResponse,
  request: IncomingMessage,
) => object | "sent" | undefined;

/** An HTTP server that speaks the older protocol, with sessions. */
async function httpServer(reply: Reply = () => undefined, idleSeconds = 60) {
  const received: { readonly message: Message; readonly request: IncomingMessage }[] = [];
  let sessions = 0;
  const answer = (message: Message): object => {
    if (message.method === "initialize")
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "fake", version: "1" },
      };
    if (message.method === "tools/list") return { tools: [echoTool] };
    return { content: [{ type: "text", text: "hello" }] };
  };
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const message = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Message;
      received.push({ message, request });
      const { id, method } = message;
      const given = reply(message, response, request);
      if (given === "sent") return;
      if (id === undefined) return void response.writeHead(202).end();
      // This server does not know the newer protocol.
      if (method === "server/discover") return void response.writeHead(400).end();
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (method === "initialize") headers["mcp-session-id"] = `session-${++sessions}`;
      response.writeHead(200, headers);
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: given ?? answer(message) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connections = testConnections({
    sandbox: unconfined,
    connections: [
      {
        type: "http",
        name: "remote",
        url: `http://127.0.0.1:${port}/mcp`,
        headers: { Authorization: "Bearer canary-0123456789" },
        idleSeconds,
      },
    ],
  });
  return {
    connections,
    received,
    calls: () => received.filter(({ message }) => message.method === "tools/call"),
    port,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const run = async (server: Awaited<ReturnType<typeof httpServer>>, options = {}) =>
  textOf(await executorOf(server.connections, options).execute("echo", { text: "a" }));

test("a call reaches a server at an address, with its headers", async () => {
  await using server = await httpServer();
  await server.connections.check();
  assert.equal(await run(server), "hello");
  const [call] = server.calls();
  assert.equal(call?.request.headers["authorization"], "Bearer canary-0123456789");
  assert.equal(typeof call?.request.headers["mcp-session-id"], "string");
});

test("a lost session is opened again, and the call is carried out once", async () => {
  let isLost = false;
  await using server = await httpServer((message, response, request) => {
    if (message.method !== "tools/call") return undefined;
    if (!isLost || request.headers["mcp-session-id"] === "session-3") return undefined;
    response.writeHead(404).end();
    return "sent";
  });
  await server.connections.check();
  assert.equal(await run(server), "hello");
  isLost = true;
  assert.equal(await run(server), "hello");
  assert.equal(server.calls().length, 3, "one of them was answered with 404");
});

test("a connection that breaks after the request leaves the outcome unknown, and is not repeated", async () => {
  await using server = await httpServer((message, response) => {
    if (message.method !== "tools/call") return undefined;
    response.destroy();
    return "sent";
  });
  await server.connections.check();
  assert.match(await run(server), /outcome_unknown.*may have been carried out/s);
  assert.equal(server.calls().length, 1);
});

test("a stream that ends without a result ends the call", async () => {
  await using server = await httpServer((message, response) => {
    if (message.method !== "tools/call") return undefined;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
    return "sent";
  }, 2);
  await server.connections.check();
  assert.match(await run(server), /outcome_unknown/);
});

test("rejected credentials and too many requests have distinct errors without the secret", async () => {
  for (const [status, expected] of [
    [401, /sign_in_needed/],
    [403, /sign_in_needed/],
    [429, /rate_limited/],
    [422, /rejected.*\[secret\]/s],
  ] as const) {
    await using server = await httpServer((message, response) => {
      if (message.method !== "tools/call") return undefined;
      response.writeHead(status).end("canary-0123456789 is wrong");
      return "sent";
    });
    await server.connections.check();
    const text = await run(server);
    assert.match(text, expected);
    assert.doesNotMatch(text, /canary/);
  }
});

test("the status reports a server that needs credentials or sends an HTML page", async () => {
  for (const [status, state] of [
    [401, "needs_sign_in"],
    [200, "backing_off"],
  ] as const) {
    await using server = await httpServer((_message, response) => {
      response.writeHead(status, { "content-type": "text/html" }).end("<html>Sign in</html>");
      return "sent";
    });
    await server.connections.check();
    assert.equal(server.connections.status()[0]?.error === undefined, false);
    if (status === 401) assert.equal(server.connections.status()[0]?.state, state);
  }
});

test("an answer of 50 MB fails the call", async () => {
  for (const type of ["application/json", "text/event-stream"]) {
    await using server = await httpServer((message, response) => {
      if (message.method !== "tools/call") return undefined;
      response.writeHead(200, { "content-type": type });
      response.write(type === "application/json" ? '{"a":"' : "data: ");
      const megabyte = Buffer.alloc(1024 * 1024, "x");
      for (let n = 0; n < 50; n++) response.write(megabyte);
      response.end();
      return "sent";
    });
    await server.connections.check();
    const result = await run(server);
    assert.match(result, /too_large/, `${type}: ${result.slice(0, 500)}`);
  }
});

test("redirects to another host are not followed", async () => {
  await using server = await httpServer((message, response) => {
    if (message.method !== "tools/call") return undefined;
    response.writeHead(307, { location: "http://169.254.169.254/latest" }).end();
    return "sent";
  });
  await server.connections.check();
  assert.match(await run(server), /^Error \((?:rejected|outcome_unknown|not_connected)\)/);
});

test("a rule that denies the host denies the calls", async () => {
  await using server = await httpServer();
  await server.connections.check();
  const [group] = server.connections.groups;
  assert.ok(group);
  const context = fakeContext({ denied: { hosts: [{ host: "127.0.0.1" }] } });
  const result = await toolOf(group, "echo").execute?.({ text: "a" }, context);
  assert.ok(isToolError(result));
  assert.equal(result.code, "denied_host");
  assert.equal(server.calls().length, 0);
});

test("the error for a missing server says that the call was not sent", async () => {
  const server = await httpServer();
  await server.connections.check();
  await server.connections.close();
  await using gone = testConnections({
    sandbox: unconfined,
    folder: server.connections.folder,
    connections: [
      { type: "http", name: "remote", url: `http://127.0.0.1:${server.port}/mcp`, headers: {} },
    ],
  });
  await server[Symbol.asyncDispose]().catch(() => {});
  const [group] = gone.groups;
  assert.ok(group && group.tools.length > 0);
  await until(() => true);
  const text = textOf(await executorOf(gone).execute("echo", { text: "a" }));
  assert.match(text, /not_connected.*ECONNREFUSED/s);
});
