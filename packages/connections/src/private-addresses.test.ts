import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import type { ResolveHost } from "@capstan/sandbox";
import type { HttpConnection } from "./definition/connection.ts";
import { withOAuthFetch } from "./oauth/oauth-fetch.ts";
import { openDocument } from "./openapi/testing/test-service.ts";
import { testConnections } from "./testing/test-connections.ts";
import { testService } from "./testing/test-service.ts";
import { guardedFetch } from "./transport/guarded-fetch.ts";

// A service of the private network, and names whose owner can change their addresses.

const paths: string[] = [];
let redirect = "";
const inner = createServer((request, response) => {
  paths.push(request.url ?? "");
  if (redirect === "") return void response.end("inner");
  response.writeHead(307, { location: redirect }).end();
});
let port = 0;
before(async () => {
  await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
  port = (inner.address() as AddressInfo).port;
});
after(() => {
  inner.closeAllConnections();
  inner.close();
});
beforeEach(() => {
  paths.length = 0;
  redirect = "";
});

const toInner: ResolveHost = async () => [{ address: "127.0.0.1", family: 4 }];
const toPublic: ResolveHost = async () => [{ address: "93.184.215.14", family: 4 }];
const toNothing: ResolveHost = () => Promise.reject(new Error("ENOTFOUND"));

const connectionTo = (more: Partial<HttpConnection> = {}): HttpConnection => ({
  type: "http",
  name: "tickets",
  url: `http://mcp.example.org:${port}/mcp`,
  headers: {},
  ...more,
});

/** Connects to an MCP server, and returns the failure. */
async function failureOf(connection: HttpConnection, resolve = toInner): Promise<string> {
  await using connections = testConnections({ connections: [connection], resolve });
  await connections.check();
  return connections.status()[0]?.error ?? "";
}

test("a connection whose public name leads to a private address later does not reach it", async () => {
  for (const connection of [connectionTo(), connectionTo({ privateHosts: [] })]) {
    const message = await failureOf(connection);
    assert.match(message, /not on the public internet.*was added with a public address.*"private"/);
  }
  const literal = connectionTo({ url: `http://127.0.0.1:${port}/mcp`, privateHosts: [] });
  assert.match(await failureOf(literal), /not on the public internet/);
  assert.deepEqual(paths, []);
  await failureOf(connectionTo({ privateHosts: [`mcp.example.org:${port}`] }));
  assert.ok(paths.length > 0);
});

test("a connection without a decision is private if its name is", async () => {
  for (const host of ["127.0.0.1", "localhost", "mcp-server", "tickets.internal"]) {
    paths.length = 0;
    await failureOf(connectionTo({ url: `http://${host}:${port}/mcp` }));
    assert.ok(paths.length > 0, host);
  }
  for (const host of ["localhost.example.org", "internal.example", "127.0.0.1.nip.io"]) {
    paths.length = 0;
    await failureOf(connectionTo({ url: `http://${host}:${port}/mcp` }));
    assert.deepEqual(paths, [], host);
  }
});

test("sign-in requests reach no private host that no user accepted", async () => {
  const url = `http://127.0.0.1:${port}/`;
  const send = (connection: HttpConnection) =>
    withOAuthFetch(connection, async (fetch) => (await fetch(url)).status);
  const issuer = connectionTo({ url: "https://mcp.example.org/mcp", oauth: { issuer: url } });
  for (const refused of [
    connectionTo(),
    connectionTo({ url, privateHosts: [] }),
    { ...issuer, privateHosts: [] },
  ])
    await assert.rejects(send(refused), /not on the public internet/);
  assert.deepEqual(paths, []);
  assert.equal(await send(issuer), 200);
});

test("an OpenAPI service that the settings declare public is not reached in a private network", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: { "/pets": { get: { operationId: "list", responses: {} } } },
  };
  const server = `http://127.0.0.1:${port}`;
  await using refused = openDocument(document, { server, private: false });
  await refused.connections.check();
  assert.match(await refused.call("list", {}), /not on the public internet/);
  await using byUrl = openDocument("", { document: `${server}/a.json`, private: false });
  await byUrl.connections.check();
  assert.match(byUrl.connections.status()[0]?.error ?? "", /not on the public internet/);
  assert.deepEqual(paths, []);
  await using allowed = openDocument(document, { server });
  await allowed.connections.check();
  assert.match(await allowed.call("list", {}), /inner/);
});

test("a private server cannot redirect its connection to another host", async () => {
  redirect = `http://localhost:${port}/other`;
  const privateHosts = [`mcp.example.org:${port}`];
  await failureOf(connectionTo({ privateHosts }));
  const fetch = guardedFetch({ name: "x", privateHosts, ownHosts: privateHosts, resolve: toInner });
  assert.equal((await fetch(`http://mcp.example.org:${port}/mcp`)).status, 307);
  await fetch.close();
  assert.ok(!paths.includes("/other"));
});

test("a user who adds a server in a private network must accept it", async () => {
  const body = { name: "tickets", url: `http://mcp.example.org:${port}/mcp` };
  await using opened = await testService({ resolve: toInner });
  const refused = await opened.service.create(body, "ann", { mayApprove: true });
  assert.equal(refused.status === "failed" && refused.code, "private_address");
  assert.equal((await opened.service.list("ann")).length, 0);
  assert.deepEqual(paths, []);
  const made = await opened.service.create({ ...body, private: true }, "ann", { mayApprove: true });
  assert.equal(made.status === "done" && made.value.private, true);
  assert.ok(paths.length > 0);
  await opened.service.change("tickets", { trust_annotations: true }, "ann");
  assert.equal((await opened.service.get("tickets", "ann"))?.private, true);
});

test("a server that was added with a public address stays public", async () => {
  for (const first of [toPublic, toNothing]) {
    let asked = 0;
    const rebinding: ResolveHost = (host) => (asked++ === 0 ? first(host) : toInner(host));
    await using opened = await testService({ resolve: rebinding });
    const body = { name: "tickets", url: `http://mcp.example.org:${port}/mcp` };
    // The address is public now: there is nothing to accept.
    const given = first === toPublic ? { ...body, private: true } : body;
    const made = await opened.service.create(given, "ann", { mayApprove: true });
    assert.ok(made.status === "done");
    assert.equal(made.value.private, false);
    assert.match(made.value.error ?? "", /not on the public internet/);
    assert.deepEqual(paths, []);
  }
});

test("private names need no further acceptance, unless the request excludes them", async () => {
  await using opened = await testService();
  const url = `http://127.0.0.1:${port}/mcp`;
  const refused = await opened.service.create({ name: "a", url, private: false }, "ann", {
    mayApprove: true,
  });
  assert.equal(refused.status === "failed" && refused.code, "private_address");
  const made = await opened.service.create({ name: "a", url }, "ann", { mayApprove: true });
  assert.equal(made.status === "done" && made.value.private, true);
  const program = { name: "b", command: "server", private: true };
  assert.equal(
    (await opened.service.create(program, "ann", { mayApprove: true })).status,
    "invalid",
  );
});
