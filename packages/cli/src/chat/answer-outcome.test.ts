import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOutcomeBody, CallView } from "@capstan/contract";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { answerOutcomes, readOutcome } from "./answer-outcome.ts";
import { ApiError } from "@capstan/client";
import { plainStyle } from "../terminal/style.ts";

function call(id: string, more: Partial<CallView> = {}): CallView {
  return {
    id,
    object: "call",
    run: "r",
    updated_at: 0,
    name: "SendMail",
    owner: "server",
    round: 1,
    status: "outcome_unknown",
    argumentsText: '{"to":"ann"}',
    repairs: [],
    idempotencyKey: id,
    proposedAt: 0,
    ...more,
  };
}

const found = { answer: "happened", by: "ann", at: 1 } as const;

/** A server with these calls, and the reports that it received. */
function createServer(calls: readonly CallView[], first?: CallView["found"]) {
  const said: (CallOutcomeBody & { call: string })[] = [];
  return {
    said,
    url: "http://capstan",
    calls: async () => calls,
    answerOutcome: async (_run: string, id: string, body: CallOutcomeBody): Promise<CallView> => {
      said.push({ call: id, ...body });
      return call(id, { found: first ?? { answer: body.outcome, by: "me", at: 2 } });
    },
  };
}

const options = {
  run: "r",
  mode: "ask",
  style: plainStyle,
  signal: new AbortController().signal,
} as const;

// Contract: durability-13
test("each call with an unknown outcome is asked about once, and the answer is sent to the server", async () => {
  const client = createServer([
    call("c1"),
    call("known", { status: "succeeded" }),
    call("answered", { found }),
    call("c2"),
    call("c3"),
  ]);
  const terminal = createFakeTerminal([
    { answer: "perhaps" },
    { answer: "y I found the mail" },
    { answer: "" },
    { answer: "r" },
  ]);
  assert.equal(await answerOutcomes({ ...options, client, terminal }), "done");
  assert.deepEqual(client.said, [
    { call: "c1", outcome: "happened", note: "I found the mail" },
    { call: "c3", outcome: "run_again" },
  ]);
  assert.match(
    terminal.text(),
    /Did SendMail happen\?[\s\S]*╭ to\n {2}│ ann[\s\S]*Answer y, n or r/,
  );
});

test("earlier answers of other clients and errors of the server are shown", async () => {
  const terminal = createFakeTerminal([{ answer: "n" }, { answer: "n" }]);
  const client = createServer([call("c1")], found);
  await answerOutcomes({ ...options, client, terminal });
  assert.match(terminal.text(), /This call already has another answer: it happened/);
  const refusal = new ApiError({ status: 409, code: "conflict", message: "Its end is known." });
  const refusing = { ...client, answerOutcome: () => Promise.reject(refusal) };
  await answerOutcomes({ ...options, client: refusing, terminal });
  assert.match(terminal.text(), /Its end is known\./);
});

test("without a terminal no outcome is reported, and a notice says where to report it", async () => {
  for (const mode of ["refuse", "allow"] as const) {
    const client = createServer([call("c1")]);
    const terminal = createFakeTerminal([], false);
    assert.equal(await answerOutcomes({ ...options, mode, client, terminal }), "done");
    assert.deepEqual(client.said, []);
    assert.match(terminal.text(), /outcome of SendMail is unknown.*http:\/\/capstan/);
  }
});

test("an answer is one letter, with an optional note", () => {
  assert.deepEqual(readOutcome("N not there"), { outcome: "did_not_happen", note: "not there" });
  assert.equal(readOutcome("  "), "later");
  for (const line of ["yes", "happened", "run", "yn"]) assert.equal(readOutcome(line), "unclear");
});

test("a call whose arguments were not shown in full is not run again", async () => {
  const args = { to: "ann", text: "x\u202e".repeat(5_000) };
  const argumentsText = JSON.stringify(args);
  const answered = async (...lines: readonly string[]) => {
    const client = createServer([call("c1", { argumentsText })]);
    const terminal = createFakeTerminal(lines.map((answer) => ({ answer })));
    await answerOutcomes({ ...options, client, terminal });
    return { said: client.said, text: terminal.text() };
  };
  const { said, text } = await answered("r", "n");
  assert.deepEqual(said, [{ call: "c1", outcome: "did_not_happen" }]);
  assert.match(text, /x⟨U\+202E⟩x[\s\S]*not shown in full/);
  assert.deepEqual((await answered("v", "r")).said, [{ call: "c1", outcome: "run_again" }]);
});
