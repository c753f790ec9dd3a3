import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type Question,
  questionText,
  readEditedArguments,
  readQuestionAnswer,
} from "./answer-approvals.ts";
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
  reason: "This tool asks the first time.",
  remember: false,
  grant: { key: "https://example.org", title: "FetchWebPage: pages of example.org" },
  createdAt: 0,
  expiresAt: 1,
};

test("a question shows what runs, why it asks, and what the session's word covers", () => {
  assert.equal(
    questionText(question, plainStyle),
    String.raw`? Web: FetchWebPage
  Reads a page.
  {
    "url": "https://example.org/\u001b[2J"
  }
  This tool asks the first time.
  y  this call
  s  for this session: FetchWebPage: pages of example.org; s 1h for an hour
  a  the same in every session; a 1h for an hour
  n  refuse; what follows is the reason: n wrong folder
  e  change the arguments
`,
  );
});

test("long arguments are cut, and shown whole when asked", () => {
  const long = { ...question, args: { text: "x".repeat(5000) } };
  assert.match(questionText(long, plainStyle), /… \d+ more characters; v shows them all/);
  const whole = questionText(long, plainStyle, true);
  assert.match(whole, /x{5000}/);
  assert.doesNotMatch(whole, /more characters/);
});

test("an answer is one letter, and a refusal carries its reason", () => {
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

test("a wider answer may hold for hours, and in every session", () => {
  assert.deepEqual(readQuestionAnswer("a 2h", 1), {
    type: "answer",
    body: { decision: "allow", scope: "always", expiresAt: 7_200_001 },
  });
  for (const line of ["s 0h", "s 1d", "a for ever"])
    assert.deepEqual(readQuestionAnswer(line, 1), { type: "unclear" }, line);
});

test("where a rule asks every time no wider answer is offered", () => {
  const { grant: _none, ...every } = question;
  assert.doesNotMatch(questionText(every, plainStyle), /session/);
});

test("nothing else allows anything", () => {
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

test("changed arguments are a JSON object, or the message says what they are", () => {
  assert.deepEqual(readEditedArguments('{"a":1}'), { status: "valid", args: { a: 1 } });
  for (const text of ["[]", "null", "1", "{a:1}", ""]) {
    assert.equal(readEditedArguments(text).status, "invalid", text);
  }
});
