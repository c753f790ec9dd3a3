import assert from "node:assert/strict";
import { test } from "node:test";
import { proseProblems, subjectProblem } from "./rules.ts";

const words = (text: string) =>
  proseProblems({ file: "a.ts", line: 1, kind: "comment", text }).map((problem) => problem.words);

test("sentences that need a second reading are found by their phrases", () => {
  assert.deepEqual(words("Of a run: undefined where it is not kept."), ["where it"]);
  assert.deepEqual(words("What is kept of a chain."), ["What "]);
  assert.deepEqual(words("A program may call with what is no text."), ["with what is"]);
  assert.deepEqual(words("Runs park, and go on later."), ["go on"]);
  assert.deepEqual(words("Null is no list."), ["is no "]);
  assert.deepEqual(words("The word of a person counts."), ["a person"]);
  assert.deepEqual(words(Array.from({ length: 33 }, () => "word").join(" ")), ["33 words"]);
});

test("plain sentences are accepted", () => {
  for (const text of [
    "Returns the cached chain, or `undefined` if it was evicted.",
    "Returns the first one, or undefined if there is none.",
    "There is no key. It is no longer used.",
    "Where is it? What happened?",
    "The message says what was wrong and what to do.",
  ])
    assert.deepEqual(words(text), [], text);
});

test("a test's name is read like a sentence", () => {
  const name = { file: "a.test.ts", line: 1, kind: "message", text: "what is kept stays" } as const;
  assert.equal(proseProblems(name).length, 1);
  assert.equal(proseProblems({ ...name, file: "a.ts" }).length, 0);
});

test("each sentence is reported once", () => {
  assert.deepEqual(words("Who asks goes on. It is none."), ["Who ", "is none"]);
});

test("commit subjects are imperative, short, and have no full stop", () => {
  assert.equal(subjectProblem("Cache expanded deltas between page reads"), undefined);
  assert.match(subjectProblem("Cached deltas") ?? "", /imperative/);
  assert.match(subjectProblem("cache deltas") ?? "", /capital/);
  assert.match(subjectProblem("Cache deltas.") ?? "", /full stop/);
  assert.match(subjectProblem(`Cache ${"x".repeat(70)}`) ?? "", /at most 72/);
});
