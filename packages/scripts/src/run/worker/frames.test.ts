import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeFrame, FrameReader, maxFrameValues } from "./frames.ts";
import { PrintReader } from "./print-reader.ts";

/** Splits bytes at the given positions. */
function cut(data: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = [...new Set(places.map((place) => place % (data.length + 1)))].sort((a, b) => a - b);
  return [...at, data.length].map((end, index) => data.subarray(at[index - 1] ?? 0, end));
}

// Contract: sandbox-50
test("frames are read as they were written, wherever the bytes are split", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat()), (messages, places) => {
      const reader = new FrameReader({ maxBytes: 1_000_000 });
      const data = Buffer.concat(messages.map(encodeFrame));
      const read = cut(data, places).flatMap((chunk) => reader.push(chunk));
      assert.deepEqual(
        read,
        messages.map((message) => ({
          status: "message",
          message: JSON.parse(JSON.stringify(message)) as unknown,
        })),
      );
    }),
  );
});

test("a frame that is too large or not JSON ends the reading", () => {
  const reader = new FrameReader({ maxBytes: 10 });
  const large = encodeFrame("x".repeat(20));
  assert.deepEqual(reader.push(Buffer.concat([encodeFrame(1), large, encodeFrame(2)])), [
    { status: "message", message: 1 },
    { status: "broken", reason: "too_large", bytes: 22 },
  ]);
  assert.deepEqual(reader.push(encodeFrame(3)), []);
  const other = new FrameReader({ maxBytes: 10 });
  assert.deepEqual(other.push(Buffer.from([0, 0, 0, 1, 123])), [
    { status: "broken", reason: "no_json", bytes: 1 },
  ]);
});

test("a frame with too many values ends the reading before they are parsed, and texts count once", () => {
  const maxBytes = 64 * 1024 * 1024;
  const commas = { text: `,[{"\\,`.repeat(maxFrameValues), list: [1, "\\", '"', 2] };
  const [read] = new FrameReader({ maxBytes }).push(encodeFrame(commas));
  assert.deepEqual(read, { status: "message", message: commas });
  const many = encodeFrame(Array.from({ length: maxFrameValues + 1 }, () => "x"));
  const [broken] = new FrameReader({ maxBytes }).push(many);
  assert.deepEqual(broken, {
    status: "broken",
    reason: "too_many_values",
    bytes: many.length - 4,
  });
});

// Contract: sandbox-50
test("output arrives unchanged and each mark once, wherever the bytes are split", () => {
  const mark = "\0capstan 1\0";
  const printed = fc.array(fc.constantFrom("a", "é", "🎉", "\0", "\0cap", "\n"), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(printed), fc.array(fc.nat()), (calls, places) => {
      const texts = calls.map((pieces) => pieces.join(""));
      let current = "";
      const read: string[] = [];
      const reader = new PrintReader({
        mark,
        onText: (text) => (current += text),
        onMark: () => {
          read.push(current);
          current = "";
        },
      });
      const data = Buffer.from(texts.map((text) => text + mark).join(""));
      for (const chunk of cut(data, places)) reader.push(chunk);
      assert.deepEqual(read, texts);
    }),
  );
});

test("a NUL that does not begin a mark is passed on immediately", () => {
  let output = "";
  const reader = new PrintReader({
    mark: "\0capstan 1\0",
    onText: (text) => (output += text),
    onMark: () => {},
  });
  reader.push(Buffer.from("a\0b"));
  assert.equal(output, "a\0b");
});
