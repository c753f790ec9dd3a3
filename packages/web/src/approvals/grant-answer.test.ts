import assert from "node:assert/strict";
import { test } from "node:test";
import { grantChoiceText, defaultGrantChoice, grantAnswer } from "./grant-answer.ts";

const approval = { args: { path: "a.md" }, toolName: "Write", grant: { title: "Write: notes" } };
const choice = defaultGrantChoice(approval);

test("the first choice is what the tool offers, in this chat, until it is revoked", () => {
  assert.deepEqual(grantAnswer(choice, 5), {
    type: "answer",
    body: { decision: "allow", scope: "session", covers: { type: "offer" } },
  });
  assert.equal(
    grantChoiceText(choice, approval),
    "Allows Write: notes, in this chat and its branches, until you revoke it. Other open questions that it covers are answered, too.",
  );
});

test("a pattern begins with the tool's own, else with exactly these arguments", () => {
  assert.deepEqual(JSON.parse(choice.pattern), { path: { equals: "a.md" } });
  const when = { path: "notes/**" };
  const offered = defaultGrantChoice({ ...approval, grant: { title: "", when } });
  assert.deepEqual(JSON.parse(offered.pattern), when);
  const answer = grantAnswer({ ...offered, covers: "pattern", scope: "always" }, 5);
  assert.deepEqual(answer.type === "answer" && answer.body, {
    decision: "allow",
    scope: "always",
    covers: { type: "pattern", when },
  });
});

test("a pattern that is no object is said on the card", () => {
  const answer = grantAnswer({ ...choice, covers: "pattern", pattern: "[" }, 5);
  assert.match(answer.type === "invalid" ? answer.message : "", /not JSON/);
});

test("an answer ends in an hour, or as the day does", () => {
  const now = new Date(2026, 5, 1, 14, 30).getTime();
  const endOf = (until: "hour" | "midnight") => {
    const answer = grantAnswer({ ...choice, until }, now);
    return answer.type === "answer" ? answer.body.expiresAt : undefined;
  };
  assert.equal(endOf("hour"), now + 3_600_000);
  assert.equal(endOf("midnight"), new Date(2026, 5, 2).getTime());
});
