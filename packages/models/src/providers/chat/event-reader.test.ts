import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createEventReader } from "./event-reader.ts";

const encoder = new TextEncoder();

function dataOf(...pieces: readonly (string | Uint8Array)[]): readonly string[] {
  const read = createEventReader();
  return pieces.flatMap((piece) => read(typeof piece === "string" ? encoder.encode(piece) : piece));
}

test("returns the data of each event that ends", () => {
  const cases: readonly (readonly [stream: string, ...data: string[]])[] = [
    ["data: 1\n\ndata: 2\n\n", "1", "2"],
    ["data:1\r\n\r\ndata:  2\r\r", "1", " 2"],
    ["\uFEFFdata: 1\n\n", "1"],
    [": ping\n\n\n\ndata: 1\nevent: end\nid: 7\nretry: 5\n\n", "1"],
    ["data: 1\ndata: 2\n\n", "1\n2"],
    ["data:\n\n", ""],
    ["event: empty\n\n"],
    ["data: 1\n\ndata: incomplete\n", "1"],
    ["database: 1\n\n"],
  ];
  for (const [stream, ...data] of cases) assert.deepEqual(dataOf(stream), data, stream);
});

// Contract: model-messages-10
test("returns the same data wherever the network cuts the stream", () => {
  const line = fc.oneof(
    fc.constantFrom("", "data: {}", "data: é🚣漢", "data:", ": ping", "event: x", "data: [DONE]"),
    fc
      .string({ unit: fc.constantFrom("a", ":", " ", "é", "🚣", "\u2028"), maxLength: 6 })
      .map((text) => `data: ${text}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 12 })
    .map((lines) => encoder.encode(`\uFEFF${lines.flat().join("")}`));
  fc.assert(
    fc.property(
      stream,
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 9 }),
      (bytes, sizes) => {
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length;) {
          const size = sizes[pieces.length % sizes.length] ?? 1;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(dataOf(...pieces), dataOf(bytes));
      },
    ),
  );
});
