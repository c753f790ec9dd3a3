import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { brotliDecompressSync, createGunzip, gunzipSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import fc from "fast-check";
import { Hono } from "hono";
import { acceptedEncoding, compress } from "./compress.ts";
import { eventStream } from "./streams.ts";

const long = { text: "Heave away! ".repeat(1_000) };
const incompressible = randomBytes(64 * 1024).toString("base64");
/** Sends the next event of the stream that is open. */
let send: (text: string | undefined) => void = () => {};
let left: Promise<void> = Promise.resolve();

const app = new Hono()
  .use(compress)
  .get("/long", (context) => context.json(long, 200, { ETag: '"a"' }))
  .get("/small", (context) => context.json({ a: 1 }))
  .get("/text/:size", (context) =>
    context.text(incompressible.slice(0, Number(context.req.param("size")))),
  )
  .get(
    "/picture",
    () => new Response(Buffer.alloc(5_000), { headers: { "Content-Type": "image/png" } }),
  )
  .get(
    "/part",
    () =>
      new Response("x".repeat(5_000), {
        status: 206,
        headers: { "Content-Type": "text/plain", "Content-Range": "bytes 0-4999/9000" },
      }),
  )
  .get("/events", () => {
    const leave = Promise.withResolvers<void>();
    left = leave.promise;
    return eventStream({
      chunks: events(),
      idleMs: 60_000,
      onIdle: () => undefined,
      onLeave: leave.resolve,
    });
  });

async function* events(): AsyncGenerator<string> {
  for (;;) {
    const next = Promise.withResolvers<string | undefined>();
    send = next.resolve;
    const text = await next.promise;
    if (text === undefined) return;
    yield text;
  }
}

const server = createServer(
  (request, response) => void getRequestListener(app.fetch)(request, response),
);
let url = "";
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** Returns the bytes on the wire; fetch would decompress them. */
async function raw(path: string, accept?: string, method = "GET") {
  const headers = accept === undefined ? {} : { "Accept-Encoding": accept };
  const request = get(url + path, { headers, method });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { headers: response.headers, body: Buffer.concat(await response.toArray()), response };
}

test("a long answer is sent as brotli, as gzip or uncompressed", async () => {
  const brotli = await raw("/long", "gzip, deflate, br");
  assert.equal(brotli.headers["content-encoding"], "br");
  assert.deepEqual(JSON.parse(brotliDecompressSync(brotli.body).toString()), long);
  assert.ok(brotli.body.length < 500);
  const gzip = await raw("/long", "gzip");
  assert.equal(gzip.headers["content-encoding"], "gzip");
  assert.deepEqual(JSON.parse(gunzipSync(gzip.body).toString()), long);
  const plain = await raw("/long");
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.deepEqual(JSON.parse(plain.body.toString()), long);
  for (const { headers } of [brotli, gzip, plain]) assert.equal(headers.vary, "Accept-Encoding");
});

test("a compressed answer has a weak tag and no length of other bytes", async () => {
  const { headers } = await raw("/long", "br");
  assert.equal(headers.etag, 'W/"a"');
  assert.equal(headers["content-length"], undefined);
  assert.equal((await raw("/long")).headers.etag, '"a"');
});

test("small answers, images and byte ranges are sent uncompressed", async () => {
  const small = await raw("/small", "br");
  assert.equal(small.headers["content-encoding"], undefined);
  assert.equal(small.headers["content-length"], "7");
  assert.equal(small.body.toString(), '{"a":1}');
  const picture = await raw("/picture", "br");
  assert.equal(picture.headers["content-encoding"], undefined);
  assert.equal(picture.headers.vary, undefined);
  assert.equal(picture.body.length, 5_000);
  const part = await raw("/part", "br");
  assert.equal(part.headers["content-encoding"], undefined);
  assert.equal(part.body.length, 5_000);
});

test("HEAD sends the Vary header and no body", async () => {
  const { headers, body } = await raw("/long", "br", "HEAD");
  assert.equal(headers.vary, "Accept-Encoding");
  assert.equal(body.length, 0);
});

test("an answer of any length arrives whole", async () => {
  const length = fc.integer({ min: 0, max: incompressible.length });
  const coding = fc.constantFrom("br", "gzip", "identity");
  await fc.assert(
    fc.asyncProperty(length, coding, async (size, accept) => {
      const headers = { "Accept-Encoding": accept };
      const response = await fetch(`${url}/text/${size}`, { headers });
      assert.equal(await response.text(), incompressible.slice(0, size));
    }),
    { numRuns: 30 },
  );
});

test("with fetch, each event arrives before the next one is sent", async () => {
  const response = await fetch(`${url}/events`, { headers: { "Accept-Encoding": "gzip, br" } });
  assert.equal(response.headers.get("content-encoding"), "gzip");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const text of ["data: 1\n\n", `data: ${"long ".repeat(20_000)}\n\n`, "data: 3\n\n"]) {
    send(text);
    let read = "";
    while (read.length < text.length) read += (await reader?.read())?.value ?? "";
    assert.equal(read, text);
  }
  send(undefined);
  assert.equal((await reader?.read())?.done, true);
});

test("with Node's own client, each event arrives before the next one is sent", async () => {
  const request = get(`${url}/events`, { headers: { "Accept-Encoding": "gzip" } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const unzipped = response.pipe(createGunzip());
  for (const text of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
    send(text);
    const [chunk] = (await once(unzipped, "data")) as [Buffer];
    assert.equal(chunk.toString(), text);
  }
  request.destroy();
});

test("a client that disconnects ends a compressed stream", async () => {
  const abort = new AbortController();
  const response = await fetch(`${url}/events`, { signal: abort.signal });
  send("data: 1\n\n");
  await response.body?.getReader().read();
  abort.abort();
  await left;
});

test("the client's weights choose the coding, and an excluded coding is not sent", () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["*", "br"],
    ["*;q=0.5, br;q=0", "gzip"],
    ["br;q=nonsense", undefined],
  ];
  for (const [header, wanted] of cases)
    assert.equal(acceptedEncoding(header), wanted, String(header));
});
