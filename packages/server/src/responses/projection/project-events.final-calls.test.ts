import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "@capstan/core";
import {
  callStarted,
  ended,
  filesServer,
  identity,
  numbered,
  proposed,
  roundEnded,
  roundStarted,
  settled,
  started,
} from "../../testing/run-script.ts";
import { assertStreamGrammar, partText } from "../../testing/stream-grammar.ts";
import { createProjection } from "./project-events.ts";

const final = (callId: string): ChainEvent => proposed(callId, { final: true });
const opens = (callId: string): ChainEvent => ({
  type: "item.start",
  itemId: `words of ${callId}`,
  kind: "text",
  callId,
});
const says = (callId: string, delta: string): ChainEvent => ({
  type: "item.delta",
  itemId: `words of ${callId}`,
  delta,
});
const closes = (callId: string, text: string, more = {}): ChainEvent => ({
  type: "item.end",
  itemId: `words of ${callId}`,
  text,
  ...more,
});

/** Projects a round with these events: each item's type and text, and each event's deltas. */
function wire(events: readonly ChainEvent[]) {
  const projection = createProjection({
    ...identity,
    servers: [{ ...filesServer, known: true }],
  });
  const script = [started, roundStarted(), roundEnded(), ...events, ended()];
  const steps = numbered(script).map((event) => projection.push(event));
  assertStreamGrammar(steps.flat(), { closed: true });
  const items = projection
    .response()
    .output.map((item) =>
      item.type === "message"
        ? item.content.map(partText).join()
        : `${item.type} ${"status" in item ? item.status : ""}`,
    );
  return { steps, items, status: projection.response().status };
}

// Contract: plugins-10
test("a final call's text is the assistant's message, streamed as it arrives, and the call has no item", () => {
  const { steps, items, status } = wire([
    final("c1"),
    callStarted("c1"),
    opens("c1"),
    says("c1", "All "),
    says("c1", "well."),
    closes("c1", "All well."),
    settled("c1", "done"),
  ]);
  assert.deepEqual(items, ["All well."]);
  assert.equal(status, "completed");
  // The delta is sent with the event that contains it.
  const sent = steps[6]?.map((event) => ("delta" in event ? event.delta : event.type));
  assert.deepEqual(sent, ["response.output_item.added", "response.content_part.added", "All "]);
});

// Contract: plugins-10
test("messages of final calls are in the order in which the calls started", () => {
  const { items } = wire([
    final("c1"),
    final("c2"),
    callStarted("c1"),
    opens("c1"),
    callStarted("c2"),
    opens("c2"),
    says("c2", "second"),
    closes("c2", "second"),
    settled("c2", "done"),
    says("c1", "first"),
    closes("c1", "first"),
    settled("c1", "done"),
  ]);
  assert.deepEqual(items, ["first", "second"]);
});

test("a final call that fails shows its error and its partial text", () => {
  const { items } = wire([
    final("c1"),
    callStarted("c1"),
    opens("c1"),
    says("c1", "I beg"),
    closes("c1", "I beg", { incomplete: true }),
    settled("c1", "No.", "error"),
    final("c2"),
    callStarted("c2"),
    opens("c2"),
    closes("c2", "", { incomplete: true }),
    settled("c2", "No.", "error"),
  ]);
  assert.deepEqual(items, ["I beg", "mcp_call failed", "mcp_call failed"]);
});

test("a final call without text is shown like other calls and delays no output", () => {
  const { items } = wire([
    final("c1"),
    proposed("c2"),
    callStarted("c1"),
    opens("c1"),
    callStarted("c2"),
    settled("c2", "done"),
    closes("c1", ""),
    settled("c1", "done"),
  ]);
  assert.deepEqual(items, ["mcp_call completed", "mcp_call completed"]);
});
