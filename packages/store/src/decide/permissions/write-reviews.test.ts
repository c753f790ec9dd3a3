import assert from "node:assert/strict";
import type { CallRecord, ReviewDecision } from "@capstan/core";
import type { Quarantine, ReviewNotice } from "@capstan/core/host";
import type { Store } from "../../records/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { callRecord, commit, createRun, event, owner } from "../../testing/store-fixtures.ts";

const secret = "the password is tulip";

const notice: ReviewNotice = {
  id: "a",
  callId: "c",
  toolId: "files.ViewFile",
  toolName: "ViewFile",
  groupTitle: "Files",
  isError: false,
  reason: "",
  createdAt: 1,
  expiresAt: 10_000,
};

function inReview(text = secret): CallRecord {
  const quarantine: Quarantine = {
    end: { status: "success" },
    formatted: { status: "formatted", text },
    cut: { text, omitted: 0, rest: { start: text.length, length: 0 } },
    durationMs: 1,
  };
  return callRecord("c", { status: "in_review", review: notice, quarantine });
}

/** A run with a call whose result waits for a person. */
async function review(store: Store, runId = "r", text?: string): Promise<void> {
  await createRun(store, { id: runId });
  await commit(store, runId, [
    { type: "call", call: inReview(text) },
    event({ type: "review.requested", callId: "c", review: notice }),
  ]);
}

const settled = (more: Partial<CallRecord> = {}) =>
  ({
    type: "call",
    call: callRecord("c", { status: "result_rejected", review: notice, ...more }),
  }) as const;

const answer = (decision: ReviewDecision) =>
  ({ type: "answer-approval", owner, id: "a", answer: decision }) as const;

everyStore(
  "the first review counts, and all of it is kept until it is carried out",
  async (withStore) => {
    await withStore(async (store) => {
      await review(store);
      const redact = { decision: "redact", words: ["tulip"] } as const;
      const [first] = await store.write([answer(redact)]);
      assert.equal(first.status, "answered");
      const [second] = await store.write([answer({ decision: "release" })]);
      assert.ok(second.status === "already_answered");
      assert.equal(second.approval.status, "redacted");
      assert.deepEqual((await store.getApproval({ owner, id: "a" }))?.answer, redact);
      await commit(store, "r", [settled()]);
      const after = await store.getApproval({ owner, id: "a" });
      assert.ok(after?.kind === "result");
      assert.deepEqual([after.status, after.answer], ["redacted", null]);
      assert.deepEqual(after.outcome, { outcome: "redacted", by: "person" });
    });
  },
);

everyStore("an answer of the other kind decides nothing", async (withStore) => {
  await withStore(async (store) => {
    await review(store);
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
