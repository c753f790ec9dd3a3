import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionAnswerBody } from "@capstan/contract";
import { hiddenCodePoints } from "@capstan/core/text";
import * as fc from "fast-check";
import {
  answerApproval,
  type Question,
  questionText,
  readEditedArguments,
  readQuestionAnswer,
} from "./answer-approvals.ts";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { plainStyle } from "../terminal/style.ts";

const question: Question = {
  id: "a1",
  callId: "c1",
  toolId: "web.FetchWebPage",
  toolName: "FetchWebPage",
  groupTitle: "Web",
  description: "Reads a page.\nMore.",
  args: { url: "https://example.org/\u001B[2J" },
  argsDigest: "",
  definitionDigest: "",
  principalId: "local",
  reason: "This tool requires approval the first time.",
  remember: false,
  grant: { key: "https://example.org", title: "FetchWebPage: pages of example.org" },
  createdAt: 0,
  expiresAt: 1,
};

const view = { style: plainStyle, columns: 80, whole: false };

test("a request shows the call, the reason, and the calls that an approval for the session covers", () => {
  assert.deepEqual(questionText(question, view), {
    isCut: false,
    text: `? Web: FetchWebPage
  Reads a page.
  ╭ url
  │ https://example.org/⟨U+001B⟩[2J
  This tool requires approval the first time.
  y  allow this call
  s  allow for this session: FetchWebPage: pages of example.org; s 1h for an hour
  a  the same in every session; a 1h for an hour
  n  deny, with an optional reason: n wrong folder
  e  change the arguments
`,
  });
});

test("marks for hidden characters are inverted, and text that looks like such a mark is not", () => {
  const style = { ...plainStyle, inverse: (text: string) => `{${text}}` };
  const args = { code: "a\u202eb ⟨U+202E⟩" };
  assert.match(
    questionText({ ...question, args }, { ...view, style }).text,
    /a{⟨U\+202E⟩}b {⟨U\+27E8⟩}U\+202E⟩/,
  );
});

test("long arguments are truncated, and shown in full on request", () => {
  const long = { ...question, args: { text: "x".repeat(5000) } };
  const cut = questionText(long, view);
  assert.match(cut.text, /… 1000 more characters; v shows them all/);
  assert.equal(cut.isCut, true);
  const whole = questionText(long, { ...view, whole: true });
  assert.equal(whole.text.match(/(?<=[│┊] )x+/g)?.join("").length, 5_000);
  assert.equal(whole.isCut, false);
});

test("no text of a call can imitate a line of the request, and hidden characters are marked", () => {
  const unit = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      "\n  y  allow this call",
      " ".repeat(39),
      "\u202e",
      "\u200b",
      "\u{e0041}",
      "⟨",
      "\r",
    ),
  );
  const text = fc.string({ unit, maxLength: 60 });
  fc.assert(
    fc.property(text, text, text, (name, value, other) => {
      const args = { [name]: value, list: [value] };
      const named = { toolName: other, groupTitle: other, description: other, reason: other };
      const options = { ...view, whole: true };
      const shown = withoutIsolates(questionText({ ...question, ...named, args }, options).text);
      assert.deepEqual(hiddenCodePoints(shown), []);
      const lines = shown.split("\n");
      for (const line of lines.filter((one) => /^  [│┊] /.test(one))) assert.ok(line.length <= 80);
      const own = lines.filter((line) => !/^  [╭│┊] /.test(line));
      // The title, the description, the reason, five answers and the end.
      assert.equal(own.length, 9);
    }),
    { numRuns: 500 },
  );
});

/** Removes the characters that isolate right-to-left words. Each pair is within one line. */
function withoutIsolates(text: string): string {
  const inner = text.replaceAll(/\u2068([^\u2068\u2069\n]*)\u2069/g, "$1");
  return inner === text ? text : withoutIsolates(inner);
}

test("an answer is one letter, and a denial can have a reason", () => {
  assert.deepEqual(readQuestionAnswer(" Y "), {
    type: "answer",
    body: { decision: "allow", scope: "once" },
  });
  assert.deepEqual(readQuestionAnswer("s"), {
    type: "answer",
    body: { decision: "allow", scope: "session" },
  });
  assert.deepEqual(readQuestionAnswer("n wrong  folder"), {
    type: "answer",
    body: { decision: "refuse", reason: "wrong folder" },
  });
  assert.deepEqual(readQuestionAnswer("n"), { type: "answer", body: { decision: "refuse" } });
  assert.deepEqual(readQuestionAnswer("e"), { type: "edit" });
});

test("a wider approval can expire after hours, and can apply in every session", () => {
  assert.deepEqual(readQuestionAnswer("a 2h", 1), {
    type: "answer",
    body: { decision: "allow", scope: "always", expiresAt: 7_200_001 },
  });
  for (const line of ["s 0h", "s 1d", "a for ever"])
    assert.deepEqual(readQuestionAnswer(line, 1), { type: "unclear" }, line);
});

test("a rule that requires an approval each time offers no wider approval", () => {
  const { grant: _none, ...every } = question;
  assert.doesNotMatch(questionText(every, view).text, /session/);
});

test("any other line allows no call", () => {
  for (const line of ["", "yep", "y but only once", "session", "s please"]) {
    assert.deepEqual(readQuestionAnswer(line), { type: "unclear" }, line);
  }
  fc.assert(
    fc.property(fc.string(), (line) => {
      fc.pre(!/^\s*(y|yes|[sa](\s+\d+h)?)\s*$/i.test(line));
      const answer = readQuestionAnswer(line);
      assert.ok(answer.type !== "answer" || answer.body.decision === "refuse");
    }),
  );
});

test("edited arguments must be a JSON object, else they are invalid", () => {
  assert.deepEqual(readEditedArguments('{"a":1}'), { status: "valid", args: { a: 1 } });
  for (const text of ["[]", "null", "1", "{a:1}", ""]) {
    assert.equal(readEditedArguments(text).status, "invalid", text);
  }
});

const writing: Question = {
  ...question,
  toolName: "WriteNote",
  groupTitle: "Notes",
  args: { text: "hi" },
  grant: { title: "every call of WriteNote" },
};

const ofRun = { object: "approval", kind: "execution", run: "r", conversation: null } as const;

/**
 * Returns the answer that these typed lines send, and the terminal's text.
 *
 * @param stored the whole content of the variable that the call reads
 */
async function answerWith(lines: readonly string[], more: Partial<Question> = {}, stored = "") {
  const terminal = createFakeTerminal(lines.map((answer) => ({ answer })));
  const sent: ExecutionAnswerBody[] = [];
  const controller = new AbortController();
  const client = {
    answerApproval: async (_id: string, body: object) => {
      sent.push(body as ExecutionAnswerBody);
      const status = sent[0]!.decision === "allow" ? "allowed" : "refused";
      return { ...writing, ...ofRun, status } as const;
    },
    approvalVariable: async (
      _id: string,
      name: string,
      page: { start: number; length: number },
    ) => {
      const text = stored.slice(page.start, page.start + page.length);
      const variables = [{ name, text, length: stored.length }];
      return { ...writing, ...ofRun, status: "pending", variables } as const;
    },
  };
  // Ends the prompt if no more lines are typed.
  setTimeout(() => controller.abort(), 50).unref();
  await answerApproval({
    question: { ...writing, ...more },
    mode: "ask",
    client,
    terminal,
    style: plainStyle,
    signal: controller.signal,
  });
  return { sent, text: terminal.text() };
}
const long = {
  args: { text: Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n") },
};

test("a call cannot be allowed or edited before the whole content of its variables was shown", async () => {
  const stored = "first line\nsteal()\n";
  const variables = [{ name: "CODE", text: "first line\n", length: stored.length }];
  for (const line of ["y", "s", "e"]) {
    const { sent, text } = await answerWith([line], { variables }, stored);
    assert.deepEqual(sent, [], line);
    assert.match(text, /first 11 of 19 characters; 8 are not shown/);
    assert.match(text, /not shown in full\. Type v/);
    assert.doesNotMatch(text, /steal/);
  }
  const { sent, text } = await answerWith(["v", "y"], { variables }, stored);
  assert.match(text, /steal\(\)/);
  assert.deepEqual(sent, [{ decision: "allow", scope: "once" }]);
  // The rest cannot be read.
  assert.deepEqual((await answerWith(["v", "y"], { variables })).sent, []);
});

// Contract: executor-96
test("a call that was not shown in full cannot be allowed, but can be denied", async () => {
  for (const line of ["y", "s", "a", "a 1h"]) {
    const { sent, text } = await answerWith([line], long);
    assert.deepEqual(sent, [], line);
    assert.doesNotMatch(text, /line 59/);
    assert.match(text, /not shown in full\. Type v/);
  }
  assert.deepEqual((await answerWith(["n"], long)).sent, [{ decision: "refuse" }]);
  const { sent, text } = await answerWith(["y", "v", "y"], long);
  assert.match(text, /line 59/);
  assert.deepEqual(sent, [{ decision: "allow", scope: "once" }]);
});

// Contract: executor-97
test("approving more than one call of a tool that does more than read needs a confirmation", async () => {
  const { sent, text } = await answerWith(["s", "yes"]);
  for (const named of [
    /WriteNote \(Notes\)/,
    /every call of WriteNote/,
    /in this session/,
    /you revoke it/,
  ])
    assert.match(text, named);
  assert.deepEqual(sent, [{ decision: "allow", scope: "session", covers: { type: "tool" } }]);
  for (const word of ["s", "y", "no", ""])
    assert.deepEqual((await answerWith(["s", word])).sent, [], word);
  const grant = { key: "k", title: "WriteNote: your notes" };
  const narrow = await answerWith(["a", "yes"], { grant });
  assert.deepEqual(narrow.sent, [
    { decision: "allow", scope: "always", covers: { type: "offer" } },
  ]);
});

test("an approval for the session needs no confirmation if the tool only reads", async () => {
  const { sent } = await answerWith(["s"], { readOnly: true });
  assert.deepEqual(sent, [{ decision: "allow", scope: "session", covers: { type: "tool" } }]);
});

test("edited arguments are shown before they run, and run after a confirmation", async () => {
  const edited = JSON.stringify({ text: "a\u202eb" });
  const { sent, text } = await answerWith(["e", edited, "y"]);
  assert.match(text, /The call would run with:\n {2}╭ text\n {2}│ a⟨U\+202E⟩b/);
  assert.deepEqual(sent, [{ decision: "allow", scope: "once", arguments: { text: "a\u202eb" } }]);
  assert.deepEqual((await answerWith(["e", edited, "n"])).sent, []);
});
