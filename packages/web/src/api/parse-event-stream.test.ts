import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createEventStreamParser, type StreamMessage } from "./parse-event-stream.ts";

function parse(chunks: readonly string[]): StreamMessage[] {
  const parser = createEventStreamParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const stream =
  ': hello\r\n\r\nid: 1\nevent: item.delta\ndata: {"a":1}\n\nid:2\r\ndata: one\r\ndata:  two\r\n\r\nevent: empty\n\ndata\n\n';
const messages: StreamMessage[] = [
  { id: "1", event: "item.delta", data: '{"a":1}' },
  { id: "2", event: "message", data: "one\n two" },
  { id: "2", event: "message", data: "" },
];

test("messages carry their id, type and lines", () => {
  assert.deepEqual(parse([stream]), messages);
});

test("a stream may be cut anywhere", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const points = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const chunks = points.slice(1).map((point, index) => stream.slice(points[index], point));
      assert.deepEqual(parse(chunks), messages);
    }),
  );
});

test("an unfinished message is not given", () => {
  assert.deepEqual(parse(["data: half"]), []);
});
