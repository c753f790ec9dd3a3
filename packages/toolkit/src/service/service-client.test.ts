import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ToolErrorData } from "@capstan/core";
import { fakeContext } from "@capstan/core/testing";
import { NetworkError } from "@capstan/sandbox";
import { download } from "./download.ts";
import { replyFailure, retryAfter } from "./reply-failure.ts";
import {
  fetchJson,
  readBytes,
  serviceClient,
  type ServiceClientOptions,
  type ServiceRequest,
} from "./service-client.ts";
import { type FakeService, sendJson, startFakeService } from "./testing/fake-service.ts";

const answer: FakeService["answer"] = (_request, response) => sendJson(response, { ok: true });

let service: FakeService;
before(async () => {
  service = await startFakeService(answer);
});
beforeEach(() => {
  service.answer = answer;
  service.requests.length = 0;
});
after(() => service[Symbol.asyncDispose]());

const client = (options: ServiceClientOptions = {}) =>
  serviceClient({ allowed: (url) => url.host === service.host, ...options });
const request = (url: string, context = fakeContext()): ServiceRequest => ({
  url: new URL(url),
  service: "The Service",
  context,
});

async function failureOf(run: Promise<unknown>): Promise<ToolErrorData> {
  const error = await run.then(
    () => assert.fail("it did not fail"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof NetworkError, String(error));
  return error.data;
}

const reasonOf = (body: unknown) => (body as { reason?: string } | undefined)?.reason;

test("private addresses are rejected in any notation, and behind names, before a request is sent", async () => {
  const port = new URL(service.url).port;
  for (const host of [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
  ]) {
    const send = serviceClient();
    const { code } = await failureOf(send(request(`http://${host}:${port}/`)));
    assert.equal(code, "private_address", host);
  }
  const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 as const }]);
  const send = serviceClient({ resolve });
  const named = await failureOf(send(request(`http://service.example:${port}/`)));
  assert.equal(named.code, "private_address");
  assert.doesNotMatch(named.message, /127\.0\.0\.1/);
  assert.equal(service.requests.length, 0);
});

test("a rule can deny a host that the configuration names", async () => {
  const context = fakeContext({ denied: { hosts: [{ host: "127.0.0.1" }] } });
  const { code } = await failureOf(client()(request(service.url, context)));
  assert.equal(code, "denied_host");
  assert.equal(service.requests.length, 0);
});

test("a decompression bomb, a slow body and a broken connection are failures", async () => {
  service.answer = (_request, response) =>
    response
      .writeHead(200, { "content-encoding": "gzip" })
      .end(gzipSync(Buffer.alloc(4 * 1024 * 1024)));
  const bomb = await client({ maxBytes: 1024 * 1024 })(request(service.url));
  assert.equal((await failureOf(readBytes(bomb))).code, "too_large");
  service.answer = (_request, response) => {
    response.writeHead(200);
    response.write("begun");
  };
  const slow = await client({ timeoutMs: 200 })(request(service.url));
  assert.equal((await failureOf(readBytes(slow))).code, "timed_out");
  service.answer = (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("begun");
    response.socket?.destroySoon();
  };
  const broken = await failureOf(client()(request(service.url)).then(readBytes));
  assert.deepEqual([broken.code, broken.retryable], ["unreachable", true]);
});

test("an error status is a failure with the service's reason in one line, without markup", async () => {
  const fail = (status: number, body: string, headers: object = {}) => {
    service.answer = (_request, response) => response.writeHead(status, { ...headers }).end(body);
    return failureOf(fetchJson(client(), request(service.url), reasonOf));
  };
  const wrong = await fail(400, JSON.stringify({ reason: "Bad\n days" }));
  assert.deepEqual(
    [wrong.code, wrong.message, wrong.retryable],
    ["rejected", "The Service answered with status 400: Bad days", false],
  );
  const page = await fail(502, `<html><h1>Bad gateway</h1>${"x".repeat(5_000)}</html>`);
  assert.equal(page.code, "service_failed");
  assert.match(page.message, /: Bad gateway x+…$/);
  assert.ok(page.message.length < 600);
  assert.equal((await fail(403, "no")).code, "unauthorized");
  assert.equal((await fail(302, "", { location: "/x" })).code, "unexpected_reply");
  const busy = await fail(503, "", { "retry-after": "2" });
  assert.deepEqual([busy.code, busy.retryAfterMs], ["rate_limited", 2_000]);
  assert.equal(
    (await fail(200, "<html>", { "content-type": "text/html" })).code,
    "unexpected_reply",
  );
});

test("`Retry-After` is parsed as seconds or as a date", () => {
  assert.equal(retryAfter(" 30 "), 30_000);
  const now = Date.parse("Sun, 01 Mar 2026 10:00:00 GMT");
  assert.equal(retryAfter("Sun, 01 Mar 2026 10:00:05 GMT", now), 5_000);
  assert.equal(retryAfter("Sun, 01 Mar 2026 09:00:00 GMT", now), 0);
  for (const text of [undefined, "", "soon"]) assert.equal(retryAfter(text), undefined);
});

test("a download follows redirects within its site, and not to private addresses or for ever", async () => {
  const options = { service: "x", maxBytes: 10, context: fakeContext() };
  const get = (path: string, more: object = {}) =>
    download(client(), new URL(service.url + path), { ...options, ...more });
  service.answer = ({ url }, response) => {
    const to = {
      "/a": "/b",
      "/loop": "/loop",
      "/private": "http://10.0.0.1/",
      "/odd": "file:///x",
    };
    const location = to[url.pathname as keyof typeof to];
    if (location === undefined)
      response.end("0123456789".slice(0, Number(url.searchParams.get("n") ?? 5)));
    else response.writeHead(302, { location }).end();
  };
  assert.equal(Buffer.from(await get("/a")).toString(), "01234");
  assert.match((await failureOf(get("/loop"))).message, /more than 5 times/);
  assert.equal((await failureOf(get("/private"))).code, "redirects_elsewhere");
  assert.equal((await failureOf(get("/private", { mayLeaveSite: true }))).code, "private_address");
  assert.equal((await failureOf(get("/odd"))).code, "rejected");
  assert.equal((await failureOf(get("/c", { maxBytes: 3 }))).code, "too_large");
});

test("a long reason with an unclosed tag is cleaned in linear time", () => {
  const began = process.cpuUsage();
  const reply = { status: 400, header: () => undefined };
  const { data } = replyFailure(reply, "The Service", "<".repeat(1_000_000));
  assert.ok(data.message.length < 1_000);
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});
