import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { checkClient } from "./check-client.ts";
import { clientKinds } from "./clients/client-kinds.ts";

const kind = clientKinds.find(({ name }) => name === "cursor") ?? assert.fail();

const answers: { readonly [method: string]: object } = {
  initialize: { serverInfo: { name: "capstan", version: "1" } },
  "tools/list": {
    tools: [
      { name: "Fetch", annotations: { readOnlyHint: true }, inputSchema: { required: ["url"] } },
      { name: "List", annotations: { readOnlyHint: true, openWorldHint: false }, inputSchema: {} },
    ],
  },
  "tools/call": { content: [{ type: "text", text: "fine" }] },
};

/** A server that accepts the key `k`, and replies with `answers`. */
async function serve(context: TestContext, given: typeof answers = answers): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const isKnown = request.headers.authorization === "Bearer k";
      if (!isKnown) {
        response.writeHead(401, { "Content-Type": "application/json" });
        return response.end('{"error":{"message":"no such key"}}');
      }
      const { id, method } = JSON.parse(body || "{}") as { id?: number; method?: string };
      response.writeHead(id === undefined ? 202 : 200, { "Content-Type": "application/json" });
      response.end(id === undefined ? "" : JSON.stringify({ id, result: given[method ?? ""] }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** The address of a server that has ended. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}/mcp`;
}

async function check(context: TestContext, entry: object | undefined) {
  const home = mkdtempSync(join(tmpdir(), "capstan-check-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const machine = { platform: "linux", home, environment: {} } as const;
  const file = kind.file(machine);
  mkdirSync(dirname(file));
  if (entry !== undefined) writeFileSync(file, JSON.stringify({ mcpServers: { capstan: entry } }));
  const checks = await checkClient({ kind, dataDir: join(home, "data"), machine });
  return checks.map(({ name, status, detail, fix }) => `${name} ${status} ${detail} ${fix ?? ""}`);
}

const withKey = (url: string, key: string) => ({
  url,
  headers: { Authorization: `Bearer ${key}` },
});

test("makes a call through the written entry, of a tool that only reads", async (context) => {
  const checks = await check(context, withKey(await serve(context), "k"));
  assert.deepEqual(
    checks.map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["cursor ok", "server ok", "tools ok", "call ok"],
  );
  assert.match(checks[3] ?? "", /List answered in/);
});

test("reports the failed step, and its remedy", async (context) => {
  const url = await serve(context);
  const last = async (entry?: object) => (await check(context, entry)).at(-1);
  assert.match(
    (await last()) ?? "",
    /^cursor wrong .*no mcpServers.capstan capstan connect cursor$/,
  );
  assert.match(
    (await last(withKey(url, "x"))) ?? "",
    /^server wrong status 401: no such key capstan/,
  );
  assert.match((await last({ url })) ?? "", /^server wrong the key is neither/);
  assert.match(
    (await last(withKey(await closedUrl(), "k"))) ?? "",
    /^server wrong .*ECONNREFUSED.* capstan serve$/,
  );
  const empty = await serve(context, { ...answers, "tools/list": { tools: [] } });
  assert.match((await last(withKey(empty, "k"))) ?? "", /^tools wrong the server offers no tools/);
  const failing = { isError: true, content: [{ type: "text", text: "no\nmore" }] };
  const broken = await serve(context, { ...answers, "tools/call": failing });
  assert.match((await last(withKey(broken, "k"))) ?? "", /^call wrong List failed: no $/);
});

test("reports a call that waits for approval, and a response that ends too early", async (context) => {
  const text = "List waits for the approval of a user at http://127.0.0.1/ and has not run yet.";
  const waiting = { content: [{ type: "text", text }] };
  const url = await serve(context, { ...answers, "tools/call": waiting });
  const [, , , call] = await check(context, withKey(url, "k"));
  assert.match(call ?? "", /^call ok List needs your approval/);
  const broken = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(": hello\n\n", () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(broken, "listening");
  context.after(() => broken.close());
  const { port } = broken.address() as AddressInfo;
  const [, server] = await check(context, withKey(`http://127.0.0.1:${port}/mcp`, "k"));
  assert.match(server ?? "", /^server wrong \S/);
});

test("starts the command of an entry, and reports its last line of output if it ends", async (context) => {
  const script = `const answers = ${JSON.stringify(answers)};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id) console.log(JSON.stringify({ id, result: answers[method] }));
});`;
  const command = process.execPath;
  const works = await check(context, { command, args: ["-e", script] });
  assert.match(works.at(-1) ?? "", /^call ok List answered/);
  const fails = await check(context, { command, args: ["-e", 'throw "no key"'] });
  assert.match(fails.at(-1) ?? "", /^server wrong the command ended: /);
  const missing = await check(context, { command: "/nowhere/capstan", args: [] });
  assert.match(missing.at(-1) ?? "", /^server wrong .*ENOENT/);
});
