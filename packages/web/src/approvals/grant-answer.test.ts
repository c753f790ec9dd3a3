import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultGrantChoice,
  grantAnswer,
  grantChoiceText,
  needsConfirmation,
  patternProblem,
} from "./grant-answer.ts";

const approval = { args: { path: "a.md" }, toolName: "Write", grant: { title: "Write: notes" } };
const choice = defaultGrantChoice(approval);

test("the default choice is the tool's offer, in this chat, until it is revoked", () => {
  const answer = { decision: "allow", scope: "session" };
  const covers = (grant: typeof approval.grant & { readonly key?: string }) =>
    grantAnswer(choice, { ...approval, grant }, 5);
  assert.deepEqual(covers({ title: "", key: "k" }), { ...answer, covers: { type: "offer" } });
  assert.deepEqual(covers({ title: "" }), { ...answer, covers: { type: "tool" } });
  assert.equal(
    grantChoiceText(choice, approval),
    "Allows Write: notes, in this chat and its branches, until you revoke it. Other pending calls that match are also allowed.",
  );
});

test("the initial pattern is the tool's own, otherwise exactly these arguments", () => {
  assert.deepEqual(JSON.parse(choice.pattern), { path: { equals: "a.md" } });
  const when = { path: "notes/**" };
  const offered = defaultGrantChoice({ ...approval, grant: { title: "", when } });
  assert.deepEqual(JSON.parse(offered.pattern), when);
  assert.deepEqual(grantAnswer({ ...offered, covers: "pattern", scope: "always" }, approval, 5), {
    decision: "allow",
    scope: "always",
    covers: { type: "pattern", when },
  });
});

test("the card reports a pattern that is not an object", () => {
  assert.match(patternProblem({ ...choice, covers: "pattern", pattern: "[" }) ?? "", /not JSON/);
  assert.equal(patternProblem({ ...choice, pattern: "[" }), undefined);
});

test("a grant needs confirmation for a tool that does more than read, and for every call of a tool", () => {
  assert.equal(needsConfirmation(choice, {}), true);
  assert.equal(needsConfirmation(choice, { readOnly: true }), false);
  assert.equal(needsConfirmation({ ...choice, covers: "tool" }, { readOnly: true }), true);
});

test("a grant can expire after an hour or at midnight", () => {
  const now = new Date(2026, 5, 1, 14, 30).getTime();
  const endOf = (until: "hour" | "midnight") =>
    grantAnswer({ ...choice, until }, approval, now).expiresAt;
  assert.equal(endOf("hour"), now + 3_600_000);
  assert.equal(endOf("midnight"), new Date(2026, 5, 2).getTime());
});
