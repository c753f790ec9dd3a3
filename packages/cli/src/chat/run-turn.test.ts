import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "@capstan/core";
import type {
  ApprovalAnswerBody,
  ApprovalView,
  ResultApprovalView,
  RunEvent,
} from "@capstan/contract";
import { createFakeTerminal, type FakeTerminal } from "../testing/fake-terminal.ts";
import {
  approvalFor,
  chainEnded,
  numbered,
  proposed,
  settled,
  spokenText,
} from "../testing/run-events.ts";
import { chatTexts } from "../texts/chat.ts";
import type { ApprovalMode } from "./ask.ts";
import { ApiError } from "@capstan/client";
import { runTurn } from "./run-turn.ts";
import { plainStyle } from "../terminal/style.ts";

/** A server that plays `before`, waits for `answers` answers (or a release), and plays the rest. */
function createServer(before: readonly ChainEvent[], rest: readonly ChainEvent[], answers = 1) {
  const answered: { id: string; body: ApprovalAnswerBody }[] = [];
  const refusals: ApiError[] = [];
  const gate = Promise.withResolvers<void>();
  return {
    answered,
    refusals,
    release: gate.resolve,
    async *events(_run: string, _after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
      yield* numbered(before);
      signal.throwIfAborted();
      signal.addEventListener("abort", () => gate.reject(signal.reason));
      await gate.promise;
      yield* numbered(rest, before.length + 1);
    },
    review: (): Promise<ResultApprovalView> => Promise.reject(new Error("no result waits here")),
    approvalVariable: () => Promise.reject(new Error("every variable is shown whole")),
    previewReview: () => Promise.reject(new Error("no result waits here")),
    url: "http://capstan",
    calls: () => Promise.reject(new Error("the end of every call is known")),
    answerOutcome: () => Promise.reject(new Error("nothing is unknown")),
    answerApproval(id: string, body: ApprovalAnswerBody): Promise<ApprovalView> {
      const refusal = refusals.shift();
      if (refusal) return Promise.reject(refusal);
      answered.push({ id, body });
      if (answered.length === answers) gate.resolve();
      const status = body.decision === "allow" ? "allowed" : "refused";
      return Promise.resolve({
        ...approvalFor("c1", id),
        object: "approval",
        kind: "execution",
        run: "r",
        conversation: null,
        status,
      });
    },
  };
}

function turn(
  client: ReturnType<typeof createServer>,
  terminal: FakeTerminal,
  mode: ApprovalMode = "ask",
) {
  const signal = new AbortController().signal;
  return runTurn({ client, run: "r", mode, terminal, style: plainStyle, signal });
}

function asks(callId: string): readonly ChainEvent[] {
  return [
    proposed(callId, "WriteNote", '{"text":"hi"}'),
    { type: "approval.requested", callId, approval: approvalFor(callId) },
  ];
}

const rest = [settled("c1"), ...spokenText("i1", "Done."), chainEnded()];

test("an approval request is shown in place, and the answer is sent to the server", async () => {
  const server = createServer(asks("c1"), rest);
  const terminal = createFakeTerminal([{ answer: "what?" }, { answer: "s" }, { answer: "yes" }]);
  assert.equal(await turn(server, terminal), "completed");
  assert.deepEqual(server.answered, [
    { id: "approval_c1", body: { decision: "allow", scope: "session", covers: { type: "tool" } } },
  ]);
  assert.match(
    terminal.text(),
    /\? Notes: WriteNote[\s\S]*╭ text\n {2}│ hi[\s\S]*Answer y, s, a, n or e\.[\s\S]*Done\./,
  );
});

test("the prompt for edited arguments is repeated if they are not an object, or the server rejects them", async () => {
  const server = createServer(asks("c1"), rest);
  server.refusals.push(
    new ApiError({ status: 400, code: "invalid", message: "text: expected text" }),
  );
  const terminal = createFakeTerminal([
    { answer: "e" },
    { answer: "[]" },
    { answer: "e" },
    { answer: '{"text":1}' },
    { answer: "y" },
    { answer: "e" },
    { answer: '{"text":"ho"}' },
    { answer: "y" },
  ]);
  assert.equal(await turn(server, terminal), "completed");
  assert.deepEqual(server.answered, [
    { id: "approval_c1", body: { decision: "allow", scope: "once", arguments: { text: "ho" } } },
  ]);
  assert.match(terminal.text(), /Arguments must be a JSON object[\s\S]*text: expected text/);
});

test("several approval requests are shown one after the other", async () => {
  const server = createServer([...asks("c1"), ...asks("c2")], rest, 2);
  const terminal = createFakeTerminal([{ answer: "y" }, { answer: "n not now" }]);
  assert.equal(await turn(server, terminal), "completed");
  assert.deepEqual(
    server.answered.map(({ id, body }) => [
      id,
      body.decision,
      "reason" in body ? body.reason : undefined,
    ]),
    [
      ["approval_c1", "allow", undefined],
      ["approval_c2", "refuse", "not now"],
    ],
  );
});

test("a prompt is closed if its request is answered elsewhere, and the next events follow", async () => {
  const elsewhere: ChainEvent = {
    type: "approval.answered",
    callId: "c1",
    approvalId: "approval_c1",
    at: 0,
    decision: { verdict: "allowed", by: "person" },
  };
  const server = createServer(asks("c1"), [elsewhere, ...rest]);
  const terminal = createFakeTerminal([]);
  const asked: FakeTerminal = {
    ...terminal,
    readAnswer: (...args) => {
      server.release();
      return terminal.readAnswer(...args);
    },
  };
  assert.equal(await turn(server, asked), "completed");
  assert.deepEqual(server.answered, []);
  assert.match(terminal.text(), /e {2}change the arguments\n {2}allowed\n✓ WriteNote/);
});

test("without a terminal the call is denied with the reason, or allowed once by --yes", async () => {
  const refused = createServer(asks("c1"), rest);
  assert.equal(await turn(refused, createFakeTerminal([], false), "refuse"), "completed");
  assert.deepEqual(refused.answered[0]?.body, {
    decision: "refuse",
    reason: chatTexts.approval.noTerminalReason,
    by: "system",
  });

  const allowed = createServer(asks("c1"), rest);
  assert.equal(await turn(allowed, createFakeTerminal([], false), "allow"), "completed");
  assert.deepEqual(allowed.answered[0]?.body, { decision: "allow", scope: "once" });
});

test("if the user leaves at a prompt, the request stays pending", async () => {
  const server = createServer(asks("c1"), rest);
  const terminal = createFakeTerminal([]);
  const left = { ...terminal, readAnswer: () => Promise.resolve({ type: "end" as const }) };
  assert.equal(await turn(server, left), "left");
  assert.deepEqual(server.answered, []);
});

test("a bounded number of events is buffered during a prompt, and others are read again from the server", async () => {
  const long = "0123456789".repeat(1_000);
  const output: readonly ChainEvent[] = [
    { type: "call.started", callId: "c2", at: 0 },
    { type: "item.start", itemId: "o2", kind: "output", callId: "c2" },
    ...Array.from(
      { length: 20 },
      () => ({ type: "item.delta", itemId: "o2", delta: long }) as const,
    ),
    { type: "item.end", itemId: "o2", text: long.repeat(20) },
    settled("c2"),
  ];
  const all = numbered([...asks("c1"), proposed("c2", "Speak"), ...output, ...rest]);
  const asked: number[] = [];
  const answered = Promise.withResolvers<void>();
  const client = {
    ...createServer([], []),
    async *events(_run: string, after: number): AsyncGenerator<RunEvent> {
      asked.push(after);
      for (const event of all) {
        if (event.seq > after) yield event;
        if (event.type === "call.settled" && event.callId === "c2") await answered.promise;
      }
    },
    answerApproval: (id: string) => {
      answered.resolve();
      return createServer([], []).answerApproval(id, { decision: "allow", scope: "once" });
    },
  };
  const terminal = createFakeTerminal([{ answer: "y" }]);
  const answerLater = {
    ...terminal,
    readAnswer: async (...args: Parameters<typeof terminal.readAnswer>) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return terminal.readAnswer(...args);
    },
  };
  assert.equal(await turn(client, answerLater), "completed");
  assert.equal(asked.length, 2);
  const text = terminal.text().replaceAll(/\n {2}│ /g, "");
  assert.equal(text.split("0123456789").length - 1, 20_000);
  assert.match(text, /0123456789\n✓ Speak/);
});

test("a permanently lost connection closes the prompt and is reported", async () => {
  const client = {
    ...createServer([], []),
    async *events(): AsyncGenerator<RunEvent> {
      yield* numbered(asks("c1"));
      throw new ApiError({ status: 410, code: "gone", message: "The run is gone." });
    },
  };
  await assert.rejects(turn(client, createFakeTerminal([])), /The run is gone/);
});

test("a result that needs a review is shown in place, and a review that was answered elsewhere is closed", async () => {
  const review = {
    id: "r1",
    callId: "c1",
    toolId: "notes.ReadNote",
    toolName: "ReadNote",
    groupTitle: "Notes",
    isError: false,
    reason: "Notes are private.",
    createdAt: 0,
    expiresAt: 1,
  };
  const asked: readonly ChainEvent[] = [
    proposed("c1", "ReadNote", "{}"),
    { type: "review.requested", callId: "c1", review },
  ];
  const answered: ChainEvent = {
    type: "review.answered",
    callId: "c1",
    reviewId: "r1",
    at: 5,
    outcome: "withheld",
    by: "person",
    reason: "private",
  };
  const held = {
    ...review,
    object: "approval",
    kind: "result",
    run: "r",
    conversation: null,
    status: "pending",
    args: {},
    result: { text: "tulip", start: 0, total: 5, shown: "tulip", parts: [] },
  } as const;
  const server = createServer(asked, [answered, ...rest]);
  const terminal = createFakeTerminal([{ answer: "w private" }]);
  const client = { ...server, review: () => Promise.resolve(held) };
  assert.equal(await turn(client, terminal), "completed");
  assert.deepEqual(server.answered, [
    { id: "r1", body: { decision: "withhold", reason: "private" } },
  ]);
  assert.match(terminal.text(), /Notes: ReadNote ran[\s\S]*result withheld by the user: private/);

  const elsewhere = createServer([...asked, answered, ...rest], []);
  elsewhere.release();
  const quiet = createFakeTerminal([]);
  assert.equal(await turn(elsewhere, quiet), "completed");
  assert.deepEqual(elsewhere.answered, []);
});
