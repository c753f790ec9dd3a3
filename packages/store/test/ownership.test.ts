import assert from "node:assert/strict";
import type { StoreWrite } from "../src/records/store-writes.ts";
import type { Store } from "../src/live/store.ts";
import { everyStore } from "../src/testing/every-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  owner,
  variableOf,
} from "../src/testing/store-fixtures.ts";

const other = "bob";

const switches = { groups: {}, tools: {} };

/**
 * A run of the owner with an open approval request, a client's call, a server's call and a
 * variable, in a conversation.
 */
async function createAll(store: Store): Promise<void> {
  await store.write([
    { type: "create-conversation", id: "c", owner, title: "mine", metadata: {}, switches },
  ]);
  await createRun(store, { id: "r", conversationId: "c" });
  const approval = approvalRequest("a", Date.now() + 60_000);
  await commit(store, "r", [
    { type: "call", call: callRecord("own", { owner: "client", status: "waiting" }) },
    { type: "call", call: callRecord("ours", { status: "started" }) },
    { type: "variable", change: { type: "set", variable: variableOf("v", "kept") } },
    event({ type: "approval.requested", callId: approval.callId, approval }),
  ]);
}

// Contract: durability-74
everyStore("writes of another owner find nothing and change nothing", async (withStore) => {
  await withStore(async (store) => {
    await createAll(store);
    const before = await everything(store);
    const change = { type: "removed", name: "v", reason: "removed" } as const;
    const foreign: readonly StoreWrite[] = [
      { type: "answer-approval", owner: other, id: "a", answer: { decision: "allow" } },
      {
        type: "submit-outputs",
        owner: other,
        runId: "r",
        outputs: [{ callId: "own", output: "x" }],
      },
      { type: "answer-call", owner: other, runId: "r", call: callRecord("ours") },
      { type: "edit-variables", owner: other, runId: "r", changes: [change] },
      { type: "update-conversation", owner: other, id: "c", update: { title: "theirs" } },
      { type: "move-head", owner: other, id: "c", from: "r", to: "r" },
      { type: "delete-run", owner: other, id: "r" },
      { type: "delete-conversation", owner: other, id: "c" },
    ];
    for (const write of foreign) {
      const [outcome] = await store.write([write]);
      assert.ok(
        ["not_found", "refused", "conflict"].includes(outcome.status),
        `${write.type}: ${outcome.status}`,
      );
      assert.doesNotMatch(JSON.stringify(outcome), /kept|mine/, write.type);
    }
    assert.deepEqual(await everything(store), before);
  });
});

async function everything(store: Store): Promise<unknown> {
  const query = { owner, runId: "r" };
  return Promise.all([
    store.getRun({ owner, id: "r" }),
    store.getConversation({ owner, id: "c" }),
    store.readCalls(query),
    store.listOutputs(query),
    store.readManifest(query),
    store.getApproval({ owner, id: "a" }),
  ]);
}

// Contract: durability-74
everyStore("all data of a run reads as absent to another owner", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const other = { owner: "other", runId: "r" };
    assert.equal(await store.getRun({ owner: "other", id: "r" }), undefined);
    assert.equal(await store.ancestors(other), undefined);
    assert.equal(await store.readEvents(other), undefined);
    assert.equal(await store.readEventsCompact(other), undefined);
    assert.equal(await store.readMessages(other), undefined);
    assert.equal(await store.readCalls(other), undefined);
    assert.equal(await store.listItems(other), undefined);
    assert.deepEqual(await store.listChildren(other), []);
  });
});
