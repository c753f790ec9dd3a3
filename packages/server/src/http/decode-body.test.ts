import assert from "node:assert/strict";
import { test } from "node:test";
import * as zlib from "node:zlib";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

const encoders: { readonly [coding: string]: (bytes: Buffer) => Buffer } = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  "deflate, gzip": (bytes) => zlib.gzipSync(zlib.deflateSync(bytes)),
};

async function post(coding: string, body: Buffer, limits = {}) {
  const { fetch } = createTestApp({ model: new ScriptedModel(["Hello."]), limits });
  const response = await fetch(
    new Request("http://127.0.0.1/v1/responses", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Content-Encoding": coding },
      body: new Uint8Array(body),
    }),
  );
  const answer = (await response.json()) as {
    readonly status?: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
  return { ...answer, status: response.status, code: answer.error?.code };
}

// Contract: responses-6
test("compressed bodies are decoded", async () => {
  const bodies = ["Hi.", "Hi. ".repeat(500_000)].map((input) =>
    Buffer.from(JSON.stringify({ input })),
  );
  for (const [coding, encode] of Object.entries(encoders))
    for (const body of bodies) {
      const { status, error } = await post(coding, encode(body));
      assert.deepEqual([status, error ?? null], [200, null], coding);
    }
});

// Contract: responses-6
test("the size limit counts decoded bytes", async () => {
  const bomb = Buffer.from(JSON.stringify({ input: " ".repeat(20_000_000) }));
  for (const [coding, encode] of Object.entries(encoders)) {
    const { status } = await post(coding, encode(bomb), { bodyBytes: 1_000_000 });
    assert.equal(status, 413, coding);
  }
});

// Contract: responses-6
test("bodies in another or a broken coding are rejected by name", async () => {
  const body = Buffer.from(JSON.stringify({ input: "Hi." }));
  assert.deepEqual((await post("lzma", body)).status, 415);
  assert.deepEqual((await post("gzip, gzip, gzip", body)).code, "unsupported_content_encoding");
  for (const [coding, encode] of Object.entries(encoders)) {
    const broken = coding.includes(",") ? body : encode(body).subarray(0, -4);
    for (const bytes of [body, broken]) {
      const { status, code } = await post(coding, bytes);
      assert.deepEqual([status, code], [400, "invalid_content_encoding"], coding);
    }
  }
});
