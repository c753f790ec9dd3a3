import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAnswerBody, ResultApprovalView } from "@capstan/contract";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { ApiError, type Client } from "@capstan/client";
import { answerReview, readReviewCommand } from "./answer-review.ts";
import { plainStyle } from "../terminal/style.ts";

const text = "The password is tulip.\u001B[2J";
const review: ResultApprovalView = {
  object: "approval",
  kind: "result",
  id: "a1",
  callId: "c1",
  toolId: "notes.ReadNote",
  toolName: "ReadNote",
  groupTitle: "Notes",
  isError: false,
  reason: "A rule requires a review of its results.",
  createdAt: 0,
  expiresAt: 1,
  run: "r",
  conversation: null,
  status: "pending",
  args: { name: "secret" },
  result: { text, start: 0, total: text.length, shown: text, parts: [] },
};

async function answerWith(lines: readonly string[], more: Partial<Client> = {}) {
  const terminal = createFakeTerminal(lines.map((answer) => ({ answer })));
  const answered: ApprovalAnswerBody[] = [];
  const outcomes = {
    release: "released",
    redact: "redacted",
    replace: "replaced",
    withhold: "withheld",
  };
  const client: Pick<Client, "review" | "previewReview" | "answerApproval"> = {
    review: async () => review,
    previewReview: async (_id, body) => {
      const words = body.decision === "redact" ? body.words : [];
      if (words.some((word) => !text.includes(word)))
        throw new ApiError({ status: 400, code: "invalid_value", message: "words: not in it" });
      const shown = words.reduce((left, word) => left.replaceAll(word, "[redacted]"), text);
      return { object: "review_preview", shown };
    },
    answerApproval: async (_id, body) => {
      answered.push(body);
      const status = outcomes[body.decision as keyof typeof outcomes];
      return { ...review, status: status as ResultApprovalView["status"] };
    },
    ...more,
  };
  const signal = new AbortController().signal;
  const options = { id: "a1", toolName: "ReadNote", client, terminal, style: plainStyle, signal };
  const outcome = await answerReview({ ...options, mode: "ask" });
  return { outcome, answered, shown: terminal.text() };
}

test("a result is shown before it is released, without control characters", async () => {
  const { outcome, answered, shown } = await answerWith(["what?", "r"]);
  assert.equal(outcome, "answered");
  assert.deepEqual(answered, [{ decision: "release" }]);
  assert.match(shown, /Notes: ReadNote ran; the model has not seen its result/);
  assert.match(shown, /The password is tulip\./);
  assert.ok(!shown.includes("\u001B"));
  assert.match(shown, /Answer r, x and a word/);
});

test("words are removed one by one, each with a preview, and absent words are reported", async () => {
  const { answered, shown } = await answerWith(["x tulip", "x Tulpe", "x password", "r"]);
  assert.deepEqual(answered, [{ decision: "redact", words: ["tulip", "password"] }]);
  assert.match(
    shown,
    /The password is \[redacted\][\s\S]*words: not in it[\s\S]*The \[redacted\] is/,
  );
});

test("a redaction can be started again, and a text or a reason can be given instead", async () => {
  assert.deepEqual((await answerWith(["x tulip", "x", "r"])).answered, [{ decision: "release" }]);
  assert.deepEqual((await answerWith(["p It is  secret."])).answered, [
    { decision: "replace", text: "It is  secret." },
  ]);
  assert.deepEqual((await answerWith(["w private"])).answered, [
    { decision: "withhold", reason: "private" },
  ]);
  assert.deepEqual((await answerWith(["w"])).answered, [{ decision: "withhold" }]);
});

test("an unclear line never releases the result", () => {
  for (const line of ["", "y", "r please", "release", "p", "v all"])
    assert.deepEqual(readReviewCommand(line), { type: "unclear" }, line);
});

test("a result that another user answered meanwhile stays unchanged", async () => {
  const { args: _args, result: _result, ...rest } = review;
  const { outcome, answered } = await answerWith([], {
    review: async () => ({ ...rest, status: "withheld" }),
  });
  assert.equal(outcome, "gone");
  assert.deepEqual(answered, []);
});

test("releasing a result requires that it was shown in full, and withholding it does not", async () => {
  const lines = Array.from({ length: 90 }, (_, index) => `line ${index}`);
  const whole = `a\u202eb\n${lines.join("\n")}`;
  const result = { text: whole.slice(0, 100), start: 0, total: whole.length, parts: [] };
  const client: Partial<Client> = {
    review: async (_id, { start }) => ({
      ...review,
      result: {
        ...result,
        shown: "a\u202eb …",
        text: start === 0 ? result.text : whole.slice(start),
      },
    }),
  };
  const early = await answerWith(["r", "w"], client);
  assert.deepEqual(early.answered, [{ decision: "withhold" }]);
  assert.match(early.shown, /│ a⟨U\+202E⟩b …[\s\S]*not shown in full/);
  const { answered, shown } = await answerWith(["v", "r"], client);
  assert.match(shown, /line 89/);
  assert.deepEqual(answered, [{ decision: "release" }]);
});
