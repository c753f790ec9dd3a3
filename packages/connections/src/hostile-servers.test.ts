import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { loadSchemaChecks } from "@capstan/core/host";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import { toolReadingSteps } from "./definition/read-tools.ts";
import type { Connections } from "./manage/connections.ts";
import { echoTool, fakeServer, type Message } from "./testing/fake-server.ts";
import { longestTurn, timeOf } from "./testing/longest-turn.ts";
import { textOf, toolNames } from "./testing/read-results.ts";
import { executorOf, programConnection, testConnections } from "./testing/test-connections.ts";

/** JSON of 3 MB that takes long to parse. */
const manyValues = `[${"{},".repeat(1_000_000)}{}]`;

/** A server whose calls return the given JSON as their result. */
function programOf(result: string) {
  return fakeServer({
    answer({ id, method }, process) {
      if (method !== "tools/call") return undefined;
      process.send(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
      return "sent";
    },
  });
}

/** A server over HTTP that answers calls with the given function. */
async function httpServerOf(answer: (id: unknown) => { type: string; body: string | Buffer }) {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks = (await request.toArray()) as Buffer[];
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "server/discover") return void response.writeHead(400).end();
    if (method === "tools/call") {
      const { type, body } = answer(id);
      return void response.writeHead(200, { "content-type": type }).end(body);
    }
    const result =
      method === "tools/list"
        ? { tools: [echoTool] }
        : { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: named };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const connections = testConnections({
    connections: [{ type: "http", name: "remote", url, headers: {} }],
  });
  return {
    connections,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const named = { name: "fake", version: "1" };

test("a result of too many values ends the server without a long turn, and other servers still answer", async () => {
  const hostile = programOf(`{"content":[],"structuredContent":${manyValues}}`);
  const friendly = fakeServer();
  await using connections = testConnections({
    sandbox: {
      ...friendly.sandbox,
      start: (program) =>
        (program.args[0] === "hostile" ? hostile : friendly).sandbox.start(program),
    },
    connections: [
      programConnection({ name: "hostile", args: ["hostile"] }),
      programConnection({ name: "friendly" }),
    ],
  });
  await connections.check();
  const executor = executorOf(connections);
  const wholeMs = timeOf(() => JSON.parse(manyValues) as unknown);
  const texts: string[] = [];
  const turnMs = await longestTurn(async () => {
    const calls = ["hostile.echo", "friendly.echo"].map((name) =>
      executor.execute(name, { text: "a" }),
    );
    texts.push(...(await Promise.all(calls)).map(textOf));
  });
  assert.match(texts[0] ?? "", /too_large.*server of hostile.*more than 50000 JSON values/s);
  assert.equal(texts[1], "a");
  assert.equal(hostile.processes.at(-1)?.isEnded, true);
  assert.ok(
    turnMs < wholeMs / 2,
    `the longest turn took ${turnMs} ms; parsing takes ${wholeMs} ms`,
  );
});

test("a notification of too many values ends the server", async () => {
  const server = fakeServer({
    call(_request, process) {
      process.send(`{"jsonrpc":"2.0","method":"notifications/message","params":${manyValues}}\n`);
      return "sent";
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  const result = textOf(await executorOf(connections).execute("echo", { text: "a" }));
  assert.match(result, /too_large.*server of fake.*more than 50000 JSON values/s);
});

test("over HTTP, a result of too many values fails the call without a long turn", async () => {
  const wholeMs = timeOf(() => JSON.parse(manyValues) as unknown);
  for (const type of ["application/json", "text/event-stream"]) {
    await using server = await httpServerOf((id) => {
      const json = `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":${manyValues}}}`;
      return { type, body: Buffer.from(type === "application/json" ? json : `data: ${json}\n\n`) };
    });
    await server.connections.check();
    const executor = executorOf(server.connections);
    let text = "";
    const turnMs = await longestTurn(async () => {
      text = textOf(await executor.execute("echo", { text: "a" }));
    });
    assert.match(text, /too_large.*server of remote.*more than 50000 JSON values/s, type);
    assert.ok(turnMs < wholeMs / 2, `${type}: ${turnMs} ms; parsing takes ${wholeMs} ms`);
  }
});

test("no field of an event hides values, and no line end hides an event", async () => {
  for (const before of ['id: "\n', 'event: "\r', ': "\r\n', 'data: ""\n\nid: "\ndata:\r'])
    for (const end of ["\n\n", "\r\r", "\r\n\r\n", "\n\r\n"]) {
      await using server = await httpServerOf((id) => ({
        type: "text/event-stream",
        body: `${before}data: {"jsonrpc":"2.0","id":${String(id)},${end.slice(0, end.length / 2)}data: "result":{"content":[${"{},".repeat(60_000)}{}]}}${end}`,
      }));
      await server.connections.check();
      const text = textOf(await executorOf(server.connections).execute("echo", { text: "a" }));
      assert.match(text, /more than 50000 JSON values/, JSON.stringify([before, end]));
    }
});

/** Returns the whole result of a call, without the limits of the gate. */
async function echoed(connections: Connections): Promise<unknown> {
  const [group] = connections.groups;
  assert.ok(group);
  return call(toolOf(group, "echo"), { text: "a" }, fakeContext());
}

test("a long result is complete, over each transport", async () => {
  const long = `é\n"${"x".repeat(3_000_000)}`;
  const result = JSON.stringify({ content: [{ type: "text", text: long }] });
  const program = programOf(result);
  await using connections = testConnections({ sandbox: program.sandbox });
  await connections.check();
  assert.ok((await echoed(connections)) === long);

  for (const [type, write] of [
    ["application/json", (json: string) => json],
    ["text/event-stream", (json: string) => `data: ${json}\n\n`],
    [
      "text/event-stream",
      (json: string) => `id: 1\r\ndata: ${json.replace(":[", ":\r\ndata: [")}\r\n\r\n`,
    ],
  ] as const) {
    await using server = await httpServerOf((id) => ({
      type,
      body: write(`{"jsonrpc":"2.0","id":${String(id)},"result":${result}}`),
    }));
    await server.connections.check();
    assert.ok((await echoed(server.connections)) === long, type);
  }
});

test("definitions with many patterns are left out, and no turn reads the whole list", async () => {
  await loadSchemaChecks();
  const properties = (prefix: string, count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `p${n}`,
        { type: "string", pattern: `^${prefix}${n}$` },
      ]),
    );
  const tool = (name: string, prefix: string, count: number) => ({
    name,
    inputSchema: { type: "object", properties: properties(prefix, count) },
  });
  const list = (prefix: string) => [
    tool("patterns", prefix, 1_900),
    ...Array.from({ length: 100 }, (_, n) => tool(`t${n}`, `${prefix}${n}`, 100)),
    echoTool,
  ];
  const server = fakeServer({ tools: list("a") });
  await using connections = testConnections({ sandbox: server.sandbox });
  const turnMs = await longestTurn(() => connections.check());
  const names = toolNames(connections);
  assert.equal(names.includes("patterns"), false);
  assert.ok(names.includes("t0") && names.includes("echo"));
  assert.equal(names.includes("t60"), false);
  const notes = connections.status()[0]?.notes.join("\n") ?? "";
  assert.match(notes, /\(patterns\).*1900 patterns, and at most 200/);
  assert.match(notes, /\(t60\).*more than 5000 patterns/);
  const wholeMs = timeOf(() => {
    const steps = toolReadingSteps(list("b"));
    while (steps.next().done !== true);
  });
  assert.ok(turnMs < wholeMs, `the longest turn took ${turnMs} ms; all in one took ${wholeMs} ms`);
});

test("a list with endless long pages is an error that names the limit", async () => {
  let page = 0;
  const server = fakeServer({
    answer({ method }) {
      if (method !== "tools/list") return undefined;
      const long = { ...echoTool, name: `t${page}`, description: "x".repeat(1_000_000) };
      return { result: { tools: [long], nextCursor: String(page++) } };
    },
  });
  await using connections = testConnections({ sandbox: server.sandbox });
  await connections.check();
  assert.match(connections.status()[0]?.error ?? "", /tools\/list.*fake.*more than 16 MB/);
  assert.ok(page < 20, `${page} pages were read`);
});

/** An MCP server whose tool `hungry` uses up its memory. */
const hungryProgram = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
  else if (method === "tools/list")
    send({ id, result: { tools: ["hungry", "echo"].map((name) => ({ name, inputSchema: { type: "object" } })) } });
  else if (method === "tools/call" && params.name === "echo")
    send({ id, result: { content: [{ type: "text", text: "still here" }] } });
  else if (method === "tools/call")
    for (const all = []; ; ) all.push(new Array(10_000).fill({}));
});
`;

test("a server that runs out of memory fails its call only, and starts again for the next one", async () => {
  await using connections = testConnections({
    connections: [
      programConnection({
        name: "hungry",
        args: ["--max-old-space-size=20", "-e", hungryProgram],
        sandbox: false,
      }),
    ],
  });
  await connections.check();
  const executor = executorOf(connections);
  const [died, other] = await Promise.all(
    ["hungry", "echo"].map((name) => executor.execute(name, {})),
  );
  assert.match(
    died === undefined ? "" : textOf(died),
    /outcome_unknown.*may have been carried out/s,
  );
  assert.match(other === undefined ? "" : textOf(other), /still here|outcome_unknown/);
  assert.equal(textOf(await executor.execute("echo", {})), "still here");
  assert.ok(connections.log.length < 300, `${connections.log.length} lines`);
});
