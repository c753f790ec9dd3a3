import assert from "node:assert/strict";
import type { Awaited } from "@capstan/core";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  owner,
  stopsFor,
} from "../../testing/store-fixtures.ts";

const allow = { decision: "allow" } as const;

function asked(id: string): Awaited {
  const approval = approvalRequest(id);
  return { type: "approval", callId: approval.callId, approval };
}

function clientCall(callId: string): Awaited {
  return { type: "client_call", callId, name: "Weather", argumentsText: "{}" };
}

async function ask(store: Store, id: string, expiresAt?: number): Promise<void> {
  const approval = approvalRequest(id, expiresAt);
  await commit(store, "r", [
    event({ type: "approval.requested", callId: approval.callId, approval }),
  ]);
}

/**
 * Stops the chain, so that the run waits.
 *
 * @returns the run's status afterwards
 */
async function suspend(store: Store, ...waiting: readonly Awaited[]) {
  const [outcome] = await store.write([
    { type: "journal", runId: "r", epoch: 1, writes: [stopsFor(...waiting)] },
  ]);
  assert.equal(outcome.status, "committed");
  return "runStatus" in outcome ? outcome.runStatus : undefined;
}

/** The run waits for the outputs of these client calls. */
async function suspendForOutputs(store: Store, ...callIds: readonly string[]): Promise<void> {
  await createRun(store, { id: "r" });
  for (const callId of callIds) {
    const call = callRecord(callId, { owner: "client", status: "waiting" });
    await commit(store, "r", [{ type: "call", call }]);
  }
  await suspend(store, ...callIds.map(clientCall));
}

const answer = async (store: Store, id: string) => {
  const [outcome] = await store.write([{ type: "answer-approval", owner, id, answer: allow }]);
  assert.equal(outcome.status, "answered");
  return "ready" in outcome && outcome.ready !== undefined;
};

const statusOf = async (store: Store) => (await store.getRun({ owner, id: "r" }))?.status;

// Contract: durability-15
everyStore("an answer queues the run that waits for it, in the same commit", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "a");
    assert.equal(await suspend(store, asked("a")), "requires_action");
    assert.equal(await answer(store, "a"), true);
    assert.equal(await statusOf(store), "queued");
  });
});

// Contract: durability-15
everyStore(
  "an answer that arrives before its run suspends queues the run when it suspends",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await ask(store, "a");
      assert.equal(await answer(store, "a"), false);
      assert.equal(await suspend(store, asked("a")), "queued");
    });
  },
);

everyStore("an answer to an earlier request does not answer a later one", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "a");
    await answer(store, "a");
    // The review of the same call, for example.
    const again = { ...approvalRequest("b"), callId: "call_a" };
    await commit(store, "r", [
      event({ type: "approval.requested", callId: "call_a", approval: again }),
    ]);
    const parked = await suspend(store, { type: "approval", callId: "call_a", approval: again });
    assert.equal(parked, "requires_action");
    assert.equal(await answer(store, "b"), true);
  });
});

everyStore("an approval request that expires queues its run", async (withStore) => {
  await withStore(async (store, clock) => {
    await createRun(store, { id: "r" });
    await ask(store, "a", 2_000);
    await suspend(store, asked("a"));
    clock.set(2_000);
    const [outcome] = await store.write([{ type: "expire-approvals" }]);
    assert.ok(outcome.status === "expired");
    assert.deepEqual(outcome.ready, [{ id: "r", owner, epoch: 1, status: "queued" }]);
    assert.equal(await statusOf(store), "queued");
  });
});

everyStore("the last of several outputs queues the run", async (withStore) => {
  await withStore(async (store) => {
    await suspendForOutputs(store, "c1", "c2");
    const submit = async (callId: string) => {
      const outputs = [{ callId, output: "rain" }];
      const [outcome] = await store.write([{ type: "submit-outputs", owner, runId: "r", outputs }]);
      return outcome.status === "submitted" && outcome.ready !== undefined;
    };
    assert.equal(await submit("c1"), false);
    assert.equal(await statusOf(store), "requires_action");
    assert.equal(await submit("c2"), true);
    assert.equal(await statusOf(store), "queued");
  });
});

everyStore("a claimed run has all earlier answers", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "a");
    await answer(store, "a");
    const [claimed] = await store.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
    assert.equal(claimed.status, "claimed");
    const [parked] = await store.write([
      { type: "journal", runId: "r", epoch: 2, writes: [], status: "requires_action" },
    ]);
    assert.ok(parked.status === "committed" && parked.runStatus === "requires_action");
  });
});

// Contract: durability-15
everyStore("an answer can claim the run in the same commit", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "a");
    await suspend(store, asked("a"));
    const [outcome] = await store.write([
      { type: "answer-approval", owner, id: "a", answer: allow, claims: true },
    ]);
    assert.ok(outcome.status === "answered");
    assert.deepEqual(outcome.ready, {
      id: "r",
      owner,
      epoch: 2,
      status: "in_progress",
      lastSeq: 1,
      edits: 0,
    });
    assert.equal(await statusOf(store), "in_progress");
    const [other] = await store.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
    assert.equal(other.status, "refused");
    const notice = event({ type: "run.heartbeat", at: 5 });
    const [late] = await store.write([{ type: "journal", runId: "r", epoch: 1, writes: [notice] }]);
    assert.equal(late.status, "fenced");
    const [own] = await store.write([{ type: "journal", runId: "r", epoch: 2, writes: [notice] }]);
    assert.ok(own.status === "committed");
    assert.equal(own.lastSeq, 2);
  });
});

everyStore("an answer can name the run that asks, but no other run", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await createRun(store, { id: "other" });
    await ask(store, "a");
    await suspend(store, asked("a"));
    const named = { type: "answer-approval", owner, id: "a", answer: allow } as const;
    const [wrong] = await store.write([{ ...named, runId: "other" }]);
    assert.equal(wrong.status, "not_found");
    assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "pending");
    const [right] = await store.write([{ ...named, runId: "r" }]);
    assert.ok(right.status === "answered");
    assert.equal(right.ready?.status, "queued");
  });
});

everyStore(
  "the last of several outputs claims the run; earlier outputs do not",
  async (withStore) => {
    await withStore(async (store) => {
      await suspendForOutputs(store, "c1", "c2");
      const submit = async (callId: string) => {
        const outputs = [{ callId, output: "rain" }];
        const [outcome] = await store.write([
          { type: "submit-outputs", owner, runId: "r", outputs, claims: true },
        ]);
        return outcome.status === "submitted" ? outcome.ready?.status : outcome.status;
      };
      assert.deepEqual(
        [await submit("c1"), await statusOf(store), await submit("c2"), await statusOf(store)],
        [undefined, "requires_action", "in_progress", "in_progress"],
      );
    });
  },
);
