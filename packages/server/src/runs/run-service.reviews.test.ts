import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import type { RunRequest } from "./request/run-request.ts";
import { begin, createRuns, requestOf, runIn } from "../testing/run-fixtures.ts";

function secretTool() {
  const ran = { times: 0 };
  const tool = defineTool({
    name: "Secret",
    description: "",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => {
      ran.times++;
      return "the password is tulip";
    },
  });
  return { tool, ran };
}

/** A run that waits for its reviewer, with each value of the request's `approvals`. */
async function runInReview(store: Store, approvals: RunRequest["approvals"] = "inline") {
  const { tool, ran } = secretTool();
  const model = new ScriptedModel([{ calls: [{ name: "Secret" }] }]);
  const runs = createRuns({ store, model, tools: [tool] });
  const run = await begin(runs, requestOf("go", { approvals }));
  await runIn(store, run.id, "requires_action");
  const { data } = await store.listApprovals({ owner, runId: run.id });
  return { run, runs, tools: [tool], ran, reviewId: data[0]!.id };
}

/** All data of a run that readers other than the reviewer can read. */
async function openOf(store: Store, runId: string): Promise<string> {
  return JSON.stringify([
    await store.getRun({ owner, id: runId }),
    await store.readEvents({ owner, runId }),
    await store.readCalls({ owner, runId }),
    await store.readMessages({ owner, runId }),
    await store.readManifest({ owner, runId }),
    await store.listApprovals({ owner, runId }),
  ]);
}

for (const approvals of ["inline", "deferred"] as const) {
  test(`a run with ${approvals} approvals waits for a review, and the next server resumes it`, async () => {
    await withMemoryStore(async (store) => {
      const { run, tools, ran, reviewId } = await runInReview(store, approvals);
      assert.doesNotMatch(await openOf(store, run.id), /tulip/);
      const model = new ScriptedModel(["done"]);
      const next = createRuns({ store, tools, model });
      const answered = await next.answer(owner, reviewId, { decision: "redact", words: ["tulip"] });
      assert.equal(answered?.status, "redacted");
      await runIn(store, run.id, "completed");
      assert.equal(ran.times, 1);
      assert.equal(model.requests[0]?.messages.at(-1)?.content, "the password is [redacted]");
      assert.doesNotMatch(await openOf(store, run.id), /tulip/);
    });
  });
}

// Contract: executor-71
test("the next server acts on a review that was answered before its server died", async () => {
  await withMemoryStore(async (store) => {
    const { run, tools, ran, reviewId } = await runInReview(store);
    const answer = { decision: "replace", text: "a secret" } as const;
    await store.write([{ type: "answer-approval", owner, id: reviewId, answer }]);
    const model = new ScriptedModel(["done"]);
    const next = createRuns({ store, tools, model });
    await next.recover(await next.listUnfinished());
    await runIn(store, run.id, "completed");
    assert.equal(ran.times, 1);
    assert.equal(model.requests[0]?.messages.at(-1)?.content, "a secret");
  });
});

test("a cancelled run withholds a result that was not reviewed", async () => {
  await withMemoryStore(async (store) => {
    const { run, runs, reviewId } = await runInReview(store);
    await runs.cancel(run);
    await runIn(store, run.id, "cancelled");
    assert.equal((await store.getApproval({ owner, id: reviewId }))?.status, "cancelled");
    assert.equal(await store.readReview({ owner, id: reviewId }), undefined);
    const calls = await store.readCalls({ owner, runId: run.id });
    assert.equal(calls?.[0]?.call.status, "result_rejected");
  });
});

test("a result that is not reviewed in time is withheld, and the run continues", async () => {
  await withMemoryStore(async (store, clock) => {
    const { run, tools, reviewId } = await runInReview(store);
    clock.set(Number.MAX_SAFE_INTEGER);
    const model = new ScriptedModel(["done"]);
    await createRuns({ store, tools, model }).expireApprovals();
    await runIn(store, run.id, "completed");
    assert.match(
      String(model.requests[0]?.messages.at(-1)?.content),
      /no user reviewed it in time/,
    );
    assert.equal((await store.getApproval({ owner, id: reviewId }))?.status, "expired");
    assert.equal(await store.readReview({ owner, id: reviewId }), undefined);
  });
});
