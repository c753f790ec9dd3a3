import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  answerReview,
  createRunInReview,
  reviewedText,
  settleReviewed,
} from "../../testing/review-fixtures.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  commit,
  createRun,
  event,
  owner,
  resultOf,
  withFileStore,
} from "../../testing/store-fixtures.ts";

// Contract: executor-71
everyStore(
  "until the call is settled, only the reviewer can read a result in review",
  async (withStore) => {
    await withStore(async (store) => {
      await createRunInReview(store);
      assert.equal(
        (await store.readReview({ owner, id: "a" }))?.quarantine?.formatted.text,
        reviewedText,
      );
      assert.equal(await store.readReview({ owner: "other", id: "a" }), undefined);
      const open = [
        await store.readCalls({ owner, runId: "r" }),
        await store.getApproval({ owner, id: "a" }),
        await store.listApprovals({ owner }),
        await store.readEvents({ owner, runId: "r" }),
        await store.getRun({ owner, id: "r" }),
      ];
      assert.doesNotMatch(JSON.stringify(open), /tulip/);
      await commit(store, "r", [settleReviewed()]);
      assert.equal(await store.readReview({ owner, id: "a" }), undefined);
    });
  },
);

everyStore(
  "closes a cancelled or expired review, and deletes it with its run",
  async (withStore) => {
    await withStore(async (store, clock) => {
      await createRunInReview(store);
      await commit(store, "r", [
        event({
          type: "review.answered",
          callId: "c",
          reviewId: "a",
          at: 5,
          outcome: "withheld",
          by: "system",
          reason: "stopped",
        }),
        settleReviewed(),
        resultOf("aborted"),
      ]);
      assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "cancelled");
      await store.write([{ type: "delete-run", owner, id: "r" }]);

      await createRunInReview(store, "r2");
      clock.set(20_000);
      const [outcome] = await store.write([{ type: "expire-approvals" }]);
      assert.ok(outcome.status === "expired");
      assert.equal(outcome.approvals[0]?.status, "expired");
      await commit(store, "r2", [resultOf("aborted")]);
      await store.write([{ type: "delete-run", owner, id: "r2" }]);
      assert.equal(await store.readReview({ owner, id: "a" }), undefined);
    });
  },
);

/** All bytes of a store's files. */
async function bytesOf(dataDir: string): Promise<string> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("capstan.db"));
  const files = await Promise.all(names.map((name) => readFile(join(dataDir, name), "latin1")));
  return files.join("\n");
}

for (const [name, text] of [
  ["a short result", reviewedText],
  ["one over many pages", `${reviewedText} and so on `.repeat(5_000)],
] as const) {
  test(`no file of the store contains ${name} after it was withheld`, async () => {
    await withFileStore(async (store, dataDir) => {
      await createRunInReview(store, "r", text);
      assert.match(await bytesOf(dataDir), /tulip/);
      await store.write([answerReview({ decision: "redact", words: ["tulip"] })]);
      await commit(store, "r", [settleReviewed()]);
      assert.doesNotMatch(await bytesOf(dataDir), /tulip/);
    });
  });
}

test("if a reader blocks the log, the next commit removes a withheld result from it", async () => {
  await withFileStore(async (store, dataDir) => {
    await createRunInReview(store);
    const reader = new DatabaseSync(join(dataDir, "capstan.db"), { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM quarantine").all();
    await commit(store, "r", [settleReviewed()]);
    assert.match(await bytesOf(dataDir), /tulip/);
    reader.exec("COMMIT");
    reader.close();
    await createRun(store, { id: "another" });
    assert.doesNotMatch(await bytesOf(dataDir), /tulip/);
  });
});

test("a result that is withheld during a checkpoint is removed from the log without a later write", async () => {
  await withFileStore(async (store, dataDir) => {
    await createRun(store, { id: "other" });
    const data = "x".repeat(8_000_000);
    const large = event({ type: "call.event", callId: "c", name: "n", data });
    // The first commit starts the thread of checkpoints.
    await commit(store, "other", [large]);
    await setTimeout(500);
    await createRunInReview(store);
    await commit(store, "other", [large, large]);
    await commit(store, "r", [settleReviewed()]);
    for (let tries = 0; tries < 40 && /tulip/.test(await bytesOf(dataDir)); tries++)
      await setTimeout(50);
    assert.equal(/tulip/.test(await bytesOf(dataDir)), false);
  });
});
