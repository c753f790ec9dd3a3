import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import fc from "fast-check";
import { compacted, numbered, settled, streamed, type Step } from "../../test/script.ts";
import { endedEarly, runDuration } from "./run-totals.ts";
import { foldRunEvent, foldRunEvents, foldStoredEvents } from "./fold-run-event.ts";
import { outputTailLength } from "./fold-item-event.ts";
import { segmentsOf } from "./segments.ts";
import { initialRunState, type RunState } from "./run-state.ts";

const usage = { inputTokens: 100, outputTokens: 20 };
const stats = {
  totalRounds: 2,
  totalCalls: 2,
  totalTime: 900,
  startTime: 1000,
  endTime: 1900,
  tokensDefinitions: 0,
  tokensArguments: 0,
  tokensShown: 30,
  tokensWithheld: 400,
};
const approval = {
  id: "ap_1",
  callId: "c2",
  toolId: "web.FetchWebPage",
  toolName: "FetchWebPage",
  groupTitle: "Web",
  description: "Fetches a page.",
  args: { url: "https://example.org" },
  argsDigest: "d",
  definitionDigest: "e",
  principalId: "local",
  reason: "It reads the web.",
  remember: true,
  grant: { key: "https://example.org", title: "FetchWebPage: pages of example.org" },
  createdAt: 1100,
  expiresAt: 9000,
};

const turn: Step[] = [
  { type: "chain.started", at: 1000, model: "capstan/offline" },
  { type: "round.started", round: 1, at: 1000 },
  ...streamed("r1", { kind: "reasoning" }, "I think first."),
  ...streamed("t1", { kind: "text" }, "Let me **look** at the files."),
  ...streamed(
    "a1",
    { kind: "arguments", callId: "c1", name: "ListFiles", owner: "server" },
    '{"path":"."}',
  ),
  ...streamed(
    "a2",
    { kind: "arguments", callId: "c2", name: "FetchWebPage", owner: "server" },
    '{"url":"https://example.org"}',
  ),
  { type: "round.ended", round: 1, at: 1050, finishReason: "tool_calls", usage },
  {
    type: "call.proposed",
    callId: "c1",
    name: "ListFiles",
    owner: "server",
    round: 1,
    at: 1060,
    toolId: "files.ListFiles",
    groupTitle: "Files",
    argumentsText: '{"path":"."}',
    args: { path: "." },
    repairs: [],
  },
  {
    type: "call.proposed",
    callId: "c2",
    name: "FetchWebPage",
    owner: "server",
    round: 1,
    at: 1061,
    toolId: "web.FetchWebPage",
    groupTitle: "Web",
    argumentsText: '{"url":"https://example.org"}',
    args: { url: "https://example.org" },
    repairs: ["number from text"],
  },
  { type: "approval.requested", callId: "c2", approval },
  { type: "call.started", callId: "c1", at: 1070 },
  ...streamed("o1", { kind: "output", callId: "c1" }, "reading the folder"),
  { type: "call.progress", callId: "c1", progress: { done: 1, total: 2 } },
  settled("c1", 1110, "a.txt"),
  { type: "chain.waiting", at: 1120, callIds: ["c2"] },
  {
    type: "approval.answered",
    callId: "c2",
    approvalId: "ap_1",
    at: 1500,
    decision: { verdict: "allowed", by: "person" },
  },
  { type: "chain.resumed", at: 1500 },
  { type: "call.started", callId: "c2", at: 1510 },
  {
    type: "call.proposed",
    callId: "c3",
    name: "ReadVar",
    owner: "server",
    round: 1,
    at: 1511,
    parentCallId: "c2",
    argumentsText: "{}",
    repairs: [],
  },
  settled("c3", 1520, "x"),
  settled("c2", 1600, "# Example"),
  { type: "round.started", round: 2, at: 1610 },
  ...streamed("t2", { kind: "text" }, "It begins"),
  { type: "model.restarted", reason: "The connection was lost." },
  ...streamed("t3", { kind: "text" }, "There is one file."),
  { type: "round.ended", round: 2, at: 1890, finishReason: "stop", usage },
  {
    type: "chain.ended",
    at: 1900,
    status: "completed",
    usage: { inputTokens: 200, outputTokens: 40 },
    stats,
  },
];
const events = numbered(turn);
const whole = foldRunEvents(initialRunState, events);

/** Removes the sequence number from the state. */
const seen = ({ seq: _seq, ...rest }: RunState) => rest;

test("blocks are in the order in which the model sent them", () => {
  const order = whole.blocks.map((block) =>
    block.type === "call" ? block.id : `${block.type}:${block.text}`,
  );
  assert.deepEqual(order, [
    "reasoning:I think first.",
    "text:Let me **look** at the files.",
    "c1",
    "c2",
    "text:It begins",
    "text:There is one file.",
  ]);
  assert.equal(whole.phase, "completed");
  assert.deepEqual(whole.items, {});
});

test("a call goes through its phases, and a sub-call appears under its parent", () => {
  const { c1, c2 } = whole.calls;
  assert.equal(c1?.result?.finalText, "a.txt");
  assert.equal(c1?.outputs[0]?.text, "reading the folder");
  assert.deepEqual(c1?.progress, { done: 1, total: 2 });
  assert.deepEqual(c2?.children, ["c3"]);
  assert.deepEqual(c2?.repairs, ["number from text"]);
  assert.equal(c2?.decision?.verdict, "allowed");
  assert.equal(c2?.phase, "settled");
});

test("a pending approval shows its resolved arguments and leaves the run waiting", () => {
  const state = foldRunEvents(
    initialRunState,
    events.slice(
      0,
      events.findIndex((event) => event.type === "approval.answered"),
    ),
  );
  assert.equal(state.phase, "waiting");
  assert.equal(state.calls["c2"]?.phase, "asking");
  assert.deepEqual(state.calls["c2"]?.args, { url: "https://example.org" });
});

test("a restart of the model removes its earlier text and the calls that it was writing", () => {
  const steps: Step[] = [
    { type: "round.started", round: 1, at: 1 },
    { type: "item.start", itemId: "t", kind: "text" },
    { type: "item.delta", itemId: "t", delta: "half a sen" },
    {
      type: "item.start",
      itemId: "a",
      kind: "arguments",
      callId: "c",
      name: "Tool",
      owner: "server",
    },
    { type: "item.delta", itemId: "a", delta: '{"x' },
    { type: "model.restarted", reason: "lost" },
    { type: "item.end", itemId: "t", text: "late", incomplete: true },
  ];
  const state = foldRunEvents(initialRunState, numbered(steps));
  assert.deepEqual(state.calls, {});
  assert.deepEqual(
    state.blocks.map((block) => block.type !== "call" && [block.text, block.isVoid, block.open]),
    [["half a sen", true, false]],
  );
});

test("an interrupted run stays interrupted when it is closed", () => {
  const state = foldRunEvents(
    initialRunState,
    numbered([
      { type: "chain.started", at: 1, model: "m" },
      { type: "run.interrupted", at: 2, message: "The server stopped." },
      { type: "chain.ended", at: 3, status: "error", usage, stats },
    ]),
  );
  assert.equal(state.phase, "interrupted");
  assert.equal(state.error?.code, "interrupted");
});

test("the time of a run excludes waiting for a user", () => {
  const at = (time: number, now: number) =>
    runDuration(foldRunEvents(initialRunState, events.slice(0, time)), now);
  const resumed = events.findIndex((event) => event.type === "chain.resumed");
  assert.equal(at(resumed, 9999), 120);
  assert.equal(at(resumed + 1, 1600), 220);
  assert.equal(runDuration(whole, 9999), 900);
});

test("usage is summed over rounds until the chain reports the total", () => {
  const before = foldRunEvents(initialRunState, events.slice(0, -1));
  assert.deepEqual(before.usage, { inputTokens: 200, outputTokens: 40 });
});

test("long live output is truncated to its end", () => {
  const steps: Step[] = [
    {
      type: "call.proposed",
      callId: "c",
      name: "T",
      owner: "server",
      round: 1,
      at: 1,
      argumentsText: "{}",
      repairs: [],
    },
    { type: "item.start", itemId: "o", kind: "output", callId: "c" },
    { type: "item.delta", itemId: "o", delta: "x".repeat(outputTailLength) },
    { type: "item.delta", itemId: "o", delta: "end" },
  ];
  const text = foldRunEvents(initialRunState, numbered(steps)).calls["c"]?.outputs[0]?.text ?? "";
  assert.equal(text.length, outputTailLength);
  assert.ok(text.endsWith("xend"));
});

test("an event for an unknown item changes only the sequence number", () => {
  const state = foldRunEvent(whole, {
    seq: whole.seq + 1,
    type: "item.delta",
    itemId: "gone",
    delta: "x",
  });
  assert.deepEqual(seen(state), seen(whole));
});

test("a run that continues another run can settle a call it did not propose", () => {
  const state = foldRunEvents(initialRunState, numbered([settled("old", 5, "done")]));
  assert.deepEqual(state.blocks, [{ type: "call", id: "old" }]);
  assert.equal(state.calls["old"]?.status, "success");
});

test("any split, with any overlap after a reconnection, gives the same state", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(events.length), fc.nat(12)), { maxLength: 8 }), (cuts) => {
      let state = initialRunState;
      let reached = 0;
      for (const [to, overlap] of [...cuts].sort(([a], [b]) => a - b)) {
        state = foldRunEvents(state, events.slice(Math.max(0, reached - overlap), to));
        reached = Math.max(reached, to);
      }
      state = foldRunEvents(state, events.slice(Math.max(0, reached - 5)));
      assert.deepEqual(state, whole);
    }),
  );
});

test("after a reload, stored and live events give the same state", () => {
  fc.assert(
    fc.property(fc.nat(events.length), (at) => {
      const stored = compacted(events.slice(0, at));
      const lastSeq = events[at - 1]?.seq ?? 0;
      const loaded = foldStoredEvents(stored, lastSeq);
      const rest: RunEvent[] = events.slice(at);
      assert.deepEqual(foldRunEvents(loaded, rest), whole);
    }),
  );
});

// Contract: plugins-11
test("the text of a final call is part of the answer, not of the call", () => {
  const state = foldRunEvents(
    initialRunState,
    numbered([
      ...turn.slice(0, 2),
      ...streamed("a1", { kind: "arguments", callId: "c1", name: "Report", owner: "server" }, "{}"),
      { type: "call.started", callId: "c1", at: 1070 },
      ...streamed("w1", { kind: "text", callId: "c1" }, "All is well."),
      settled("c1", 1080, "All is well."),
    ]),
  );
  const shown = segmentsOf(state.blocks).map((part) =>
    part.type === "calls" ? part.ids : part.block.text,
  );
  assert.deepEqual(shown, [["c1"], "All is well."]);
  assert.deepEqual(state.calls["c1"]?.outputs, []);
});

test("a limit or a filter that ended an answer is explained", () => {
  const end = (finishReason: "stop" | "length" | "content_filter"): Step[] => [
    { type: "round.ended", round: 1, at: 1, finishReason, usage },
    { type: "chain.ended", at: 2, status: "completed", usage, stats },
  ];
  const said = (steps: readonly Step[]) =>
    endedEarly(foldRunEvents(initialRunState, numbered(steps)));
  assert.deepEqual(said(end("stop")), []);
  assert.match(said(end("length")).join(), /token limit/);
  assert.match(said(end("content_filter")).join(), /content filter/);
  const message = "This turn's 2 rounds of calls are over.";
  const limit: Step = { type: "limit.reached", at: 1, limit: "rounds", message };
  assert.deepEqual(said([limit, ...end("stop")]), [
    `${message} The model was asked to answer without more tools.`,
  ]);
});
