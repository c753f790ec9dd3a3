import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  approvalRequest,
  commit,
  createRun,
  event,
  grantOf,
  longText,
  owner,
  resultOf,
  variableOf,
} from "../../testing/store-fixtures.ts";

async function converse(store: Store, id: string, title = ""): Promise<void> {
  const [outcome] = await store.write([
    {
      type: "create-conversation",
      id,
      owner,
      title,
      metadata: {},
      switches: { groups: {}, tools: {} },
    },
  ]);
  assert.equal(outcome.status, "created");
}

const note = event({ type: "run.heartbeat", at: 1 });

everyStore(
  "a run that has not ended cannot be deleted, nor its conversation",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r", conversationId: "c" });
      const [run] = await store.write([{ type: "delete-run", owner, id: "r" }]);
      const [conversation] = await store.write([{ type: "delete-conversation", owner, id: "c" }]);
      assert.equal(run.status, "refused");
      assert.equal(conversation.status, "refused");
      assert.ok(await store.getConversation({ owner, id: "c" }));
    });
  },
);

everyStore("a conversation is deleted with everything in it", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "c");
    await createRun(store, { id: "r", conversationId: "c" });
    const approval = approvalRequest("a");
    await commit(store, "r", [
      event({ type: "approval.requested", callId: approval.callId, approval }),
      { type: "variable", change: { type: "set", variable: variableOf("v", longText("secret")) } },
      { type: "grant", grant: grantOf("g") },
      { type: "grant", grant: grantOf("always", { scope: "always" }) },
    ]);
    await store.write([
      { type: "save-items", runId: "r", direction: "input", items: [{ id: "i", item: {} }] },
    ]);
    await commit(store, "r", [resultOf("completed")]);
    const digest = (await store.readManifest({ owner, runId: "r" }))?.["v"]?.digest ?? "";
    assert.deepEqual(await store.readValue({ owner, digest }), { text: longText("secret") });

    const [deleted] = await store.write([{ type: "delete-conversation", owner, id: "c" }]);
    assert.deepEqual(deleted, { status: "deleted", runIds: ["r"] });
    assert.equal(await store.getRun({ owner, id: "r" }), undefined);
    assert.equal(await store.readEvents({ owner, runId: "r" }), undefined);
    assert.equal(await store.readValue({ owner, digest }), undefined);
    assert.equal(await store.getApproval({ owner, id: "a" }), undefined);
    assert.equal(await store.getItem({ owner, id: "i" }), undefined);
    assert.equal(await store.getGrant({ owner, id: "g" }), undefined);
    assert.ok(await store.getGrant({ owner, id: "always" }));
  });
});

everyStore(
  "a run is kept after its conversation is deleted if a fork in another conversation descends from it",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r1", conversationId: "c" });
      await commit(store, "r1", [
        { type: "variable", change: { type: "set", variable: variableOf("v", longText("kept")) } },
        resultOf("completed"),
      ]);
      await createRun(store, { id: "r2", conversationId: "c", parentId: "r1" });
      await commit(store, "r2", [
        { type: "variable", change: { type: "set", variable: variableOf("w", longText("gone")) } },
        resultOf("completed"),
      ]);
      const gone = (await store.readManifest({ owner, runId: "r2" }))?.["w"]?.digest ?? "";
      await createRun(store, { id: "fork", parentId: "r1" });
      const [deleted] = await store.write([{ type: "delete-conversation", owner, id: "c" }]);
      assert.deepEqual(deleted, { status: "deleted", runIds: ["r2"] });
      const line = (await store.ancestors({ owner, runId: "fork" })) ?? [];
      assert.deepEqual(
        line.map(({ run }) => [run.id, run.conversationId]),
        [
          ["r1", null],
          ["fork", null],
        ],
      );
      const digest = (await store.readManifest({ owner, runId: "fork" }))?.["v"]?.digest ?? "";
      assert.deepEqual(await store.readValue({ owner, digest }), { text: longText("kept") });
      assert.equal(await store.readValue({ owner, digest: gone }), undefined);
    });
  },
);

everyStore(
  "after a run is deleted, its children continue its parent, and a head moves to the parent",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r1", conversationId: "c" });
      await createRun(store, { id: "r2", conversationId: "c", parentId: "r1" });
      await createRun(store, { id: "r3", parentId: "r2" });
      await store.write([{ type: "move-head", owner, id: "c", from: null, to: "r2" }]);
      await commit(store, "r2", [note, resultOf("completed")]);
      const [foreign] = await store.write([{ type: "delete-run", owner: "other", id: "r2" }]);
      assert.equal(foreign.status, "not_found");
      await store.write([{ type: "delete-run", owner, id: "r2" }]);
      assert.equal((await store.getRun({ owner, id: "r3" }))?.parentId, "r1");
      assert.equal((await store.getConversation({ owner, id: "c" }))?.headRunId, "r1");
    });
  },
);
