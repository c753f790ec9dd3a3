import assert from "node:assert/strict";
import { answerReview, createRunInReview, settleReviewed } from "../../testing/review-fixtures.ts";
import { everyStore } from "../../testing/every-store.ts";
import { commit, owner } from "../../testing/store-fixtures.ts";

everyStore(
  "the first review is final, and it is stored completely until it is carried out",
  async (withStore) => {
    await withStore(async (store) => {
      await createRunInReview(store);
      const redact = { decision: "redact", words: ["tulip"] } as const;
      const [first] = await store.write([answerReview(redact)]);
      assert.equal(first.status, "answered");
      const [second] = await store.write([answerReview({ decision: "release" })]);
      assert.ok(second.status === "already_answered");
      assert.equal(second.approval.status, "redacted");
      assert.deepEqual((await store.getApproval({ owner, id: "a" }))?.answer, redact);
      await commit(store, "r", [settleReviewed()]);
      const after = await store.getApproval({ owner, id: "a" });
      assert.ok(after?.kind === "result");
      assert.deepEqual([after.status, after.answer], ["redacted", null]);
      assert.deepEqual(after.outcome, { outcome: "redacted", by: "person" });
    });
  },
);

everyStore("an answer of the wrong kind decides nothing", async (withStore) => {
  await withStore(async (store) => {
    await createRunInReview(store);
    const allow = {
      type: "answer-approval",
      owner,
      id: "a",
      answer: { decision: "allow" },
    } as const;
    const [outcome] = await store.write([allow]);
    assert.equal(outcome.status, "refused");
    assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "pending");
  });
});
