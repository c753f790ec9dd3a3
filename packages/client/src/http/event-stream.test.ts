import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readEventStream } from "./event-stream.ts";

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function read(text: string, cuts: readonly number[] = [], max?: number) {
  const bytes = new TextEncoder().encode(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  const chunks = at.map((from, index) => bytes.slice(from, at[index + 1] ?? bytes.length));
  return Array.fromAsync(
    readEventStream(bodyOf(chunks), { ...(max !== undefined && { maxEventLength: max }) }),
  );
}

test("joins the data lines of an event", async () => {
  const text =
    "\uFEFFid: 7\nevent: item.delta\ndata: a\ndata:b\n\n: still here\n\ndata: end\r\n\r\n";
  const events = await read(text);
  assert.deepEqual(events, ["a\nb", "end"]);
});

test("yields the same events for any division into chunks", async () => {
  const text = 'id: 1\ndata: {"delta":"Grüße 👋"}\n\n:heartbeat\n\nid: 2\r\ndata: x\r\n\r\n';
  const whole = await read(text);
  assert.equal(whole.length, 2);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
      assert.deepEqual(await read(text, cuts), whole);
    }),
    { numRuns: 50 },
  );
});

test("leaves out an incomplete last event", async () => {
  assert.deepEqual(await read("data: a\n\ndata: b\n"), ["a"]);
});

test("throws if an event is longer than the limit", async () => {
  await assert.rejects(read(`data: ${"x".repeat(100)}`, [40, 60], 50), /longer than 50/);
});
