import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallStream } from "./call-stream.ts";

test("completes a call without deltas", () => {
  const calls = createCallStream([]);
  assert.deepEqual(
    calls.call("a", "ListFiles", '{"path":"."}', { google: { thoughtSignature: "s" } }),
    [
      { type: "tool-call-start", id: "a", name: "ListFiles" },
      { type: "tool-call-delta", id: "a", delta: '{"path":"."}' },
    ],
  );
  assert.deepEqual(calls.finish("tool_calls"), [
    {
      type: "tool-call-end",
      id: "a",
      name: "ListFiles",
      arguments: '{"path":"."}',
      providerMetadata: { google: { thoughtSignature: "s" } },
    },
  ]);
});

// Contract: model-messages-13
test("replaces ids that are empty, repeated in the answer or used in earlier turns", () => {
  const calls = createCallStream(["earlier"]);
  for (const id of ["earlier", "", "", "new", "new"]) calls.call(id, "T", "{}", undefined);
  const ids = calls
    .finish("tool_calls")
    .map((event) => (event.type === "tool-call-end" ? event.id : ""));
  assert.equal(new Set(["earlier", "", ...ids]).size, 7);
  assert.equal(ids[3], "new");
});

test("assigns deltas to their call under its new id", () => {
  const calls = createCallStream(["a"]);
  const [start] = calls.start("a", "T");
  assert.ok(start?.type === "tool-call-start" && start.id !== "a");
  assert.deepEqual(calls.delta("a", "{}"), [
    { type: "tool-call-delta", id: start.id, delta: "{}" },
  ]);
  assert.deepEqual(calls.delta("unknown", "{}"), []);
});

test("ends a call that the token limit cut off with its partial arguments", () => {
  const calls = createCallStream([]);
  calls.start("a", "T");
  calls.delta("a", '{"x":');
  assert.deepEqual(calls.finish("length"), [
    { type: "tool-call-end", id: "a", name: "T", arguments: '{"x":', incomplete: true },
  ]);
});

// Contract: model-messages-12
test("keeps the arguments of concurrent calls with the same id apart", () => {
  const calls = createCallStream([]);
  calls.start("same", "A");
  calls.delta("same", '{"a":');
  const [second] = calls.start("same", "B");
  assert.ok(second?.type === "tool-call-start" && second.id !== "same");
  assert.deepEqual(calls.delta("same", "1}"), []);
  assert.deepEqual(calls.call("same", "B", '{"b":2}', undefined), [
    { type: "tool-call-delta", id: second.id, delta: '{"b":2}' },
  ]);
  assert.deepEqual(calls.call("same", "A", '{"a":1}', undefined), [
    { type: "tool-call-delta", id: "same", delta: "1}" },
  ]);
  assert.deepEqual(calls.finish("tool_calls"), [
    { type: "tool-call-end", id: second.id, name: "B", arguments: '{"b":2}' },
    { type: "tool-call-end", id: "same", name: "A", arguments: '{"a":1}' },
  ]);
});

// Contract: model-messages-14
test("does not treat a call that was cut off before its arguments as one without arguments", () => {
  const calls = createCallStream([]);
  calls.call("a", "T", "{}", undefined);
  calls.start("b", "T");
  calls.call("b", "T", "{}", undefined);
  const ends = calls
    .finish("length")
    .map((event) => event.type === "tool-call-end" && [event.arguments, event.incomplete]);
  assert.deepEqual(ends, [
    ["{}", undefined],
    ["", true],
  ]);
});
