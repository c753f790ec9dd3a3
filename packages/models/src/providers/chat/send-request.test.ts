import assert from "node:assert/strict";
import { test } from "node:test";
import { type Exchange, startSseServer } from "../../testing/sse-server.ts";
import { type SentRequest, sendWithHttp, type ServerAnswer } from "./send-request.ts";

function requestTo(url: string, more: Partial<SentRequest> = {}): SentRequest {
  const headers = { authorization: "Bearer key" };
  return { url, headers, body: "{}", signal: new AbortController().signal, ...more };
}

async function textOf({ read }: ServerAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) pieces.push(bytes);
  return Buffer.concat(pieces).toString();
}

const ends = ({ request, response }: Exchange) =>
  void response.end(request.headers.authorization ?? "no key");

test("sends a body of several pieces, and reads the answer", async () => {
  await using server = await startSseServer(ends);
  const body = new Blob(["{", '"a":', "1}"]);
  const answer = await sendWithHttp(requestTo(server.url, { body }));
  assert.equal(answer.status, 200);
  assert.equal(await textOf(answer), "Bearer key");
  assert.deepEqual(server.bodies, ['{"a":1}']);
});

test("follows a redirect, and does not send the key to another origin", async () => {
  await using other = await startSseServer(ends);
  for (const [location, key] of [
    ["/there", "Bearer key"],
    [`${other.url}/there`, "no key"],
  ] as const) {
    await using server = await startSseServer(
      ({ response }) => void response.writeHead(308, { location }).end(),
      ends,
    );
    assert.equal(await textOf(await sendWithHttp(requestTo(server.url))), key);
  }
});

test("ends after five redirects", async () => {
  await using server = await startSseServer(
    ({ response }) => void response.writeHead(307, { location: "/" }).end(),
  );
  assert.equal((await sendWithHttp(requestTo(server.url))).status, 307);
  assert.equal(server.bodies.length, 6);
});

// The server may already have charged for the request. Only the loop repeats it, where users see the second try.
test("sends a request once, also if the server closes its idle connection", async () => {
  await using server = await startSseServer(ends, ({ request }) => request.socket.destroy(), ends);
  await textOf(await sendWithHttp(requestTo(server.url)));
  await assert.rejects(sendWithHttp(requestTo(server.url)), { code: "ECONNRESET" });
  assert.equal(server.bodies.length, 2);
});

test("lets the server wait while the answer is not read", async () => {
  const whole = "x".repeat(20_000_000);
  let isSent = false;
  await using server = await startSseServer(({ response }) => {
    response.on("finish", () => (isSent = true));
    response.end(whole);
  });
  const answer = await sendWithHttp(requestTo(server.url));
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isSent, false);
  assert.equal((await textOf(answer)).length, whole.length);
});

test("ends a pending read with the reason of the cancellation", async () => {
  await using server = await startSseServer(({ response }) =>
    response.writeHead(200).flushHeaders(),
  );
  const answer = await sendWithHttp(requestTo(server.url));
  const reading = answer.read();
  answer.cancel(new Error("enough"));
  await assert.rejects(reading, /enough/);
});
