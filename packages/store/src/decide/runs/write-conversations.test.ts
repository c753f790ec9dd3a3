import assert from "node:assert/strict";
import type { Store } from "../../records/store.ts";
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
import { everyStore } from "../../testing/every-store.ts";

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
  "a head moves by compare and set: a second writer gets a conflict that names the head",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r1", conversationId: "c" });
      await createRun(store, { id: "r2", conversationId: "c" });
      const move = (to: string) =>
        store.write([{ type: "move-head", owner, id: "c", from: null, to }]);
      const [[first], [second]] = await Promise.all([move("r1"), move("r2")]);
      assert.deepEqual(first, { status: "moved" });
      assert.deepEqual(second, { status: "conflict", head: "r1" });
      const conversation = await store.getConversation({ owner, id: "c" });
      assert.deepEqual([conversation?.headRunId, conversation?.headStatus], ["r1", "in_progress"]);
    });
  },
);

everyStore("an update changes what is given, and switches one by one", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "c", "old");
    await store.write([
      {
        type: "update-conversation",
        owner,
        id: "c",
        update: { switches: { groups: { files: true } } },
      },
    ]);
    const [updated] = await store.write([
      {
        type: "update-conversation",
        owner,
        id: "c",
        update: { title: "new", switches: { tools: { "web.Fetch": false } } },
      },
    ]);
    assert.equal(updated.status, "updated");
    assert.deepEqual(updated.conversation, await store.getConversation({ owner, id: "c" }));
    assert.deepEqual(updated.conversation.switches, {
      groups: { files: true },
      tools: { "web.Fetch": false },
    });
    assert.equal(updated.conversation.title, "new");
  });
});

everyStore("conversations are listed by their last change, in pages", async (withStore) => {
  await withStore(async (store, clock) => {
    for (const [n, id] of ["c1", "c2", "c3"].entries()) {
      clock.set(1_000 + n);
      await converse(store, id);
    }
    clock.set(2_000);
    await store.write([{ type: "update-conversation", owner, id: "c1", update: { title: "new" } }]);
    const first = await store.listConversations({ owner, limit: 2 });
    assert.deepEqual([first.data.map(({ id }) => id), first.hasMore], [["c1", "c3"], true]);
    const second = await store.listConversations({ owner, limit: 2, after: "c3" });
    assert.deepEqual([second.data.map(({ id }) => id), second.hasMore], [["c2"], false]);
  });
});

everyStore(
  "the runs of a conversation, a run's children, and the line that a run descends from",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r1", conversationId: "c" });
      await commit(store, "r1", [
        { type: "message", round: 1, message: { role: "assistant", content: "one" } },
      ]);
      await createRun(store, { id: "r2", conversationId: "c", parentId: "r1" });
      await createRun(store, { id: "fork", parentId: "r1" });
      await createRun(store, { id: "r3", conversationId: "c", parentId: "r2" });
      assert.deepEqual(
        (await store.listRuns({ owner, conversationId: "c" })).map(({ id }) => id),
        ["r1", "r2", "r3"],
      );
      assert.deepEqual(
        (await store.listChildren({ owner, runId: "r1" })).map(({ id }) => id),
        ["r2", "fork"],
      );
      const line = (await store.ancestors({ owner, runId: "r3" })) ?? [];
      assert.deepEqual(
        line.map(({ run, messages }) => [run.id, run.sessionId, messages.length]),
        [
          ["r1", "r1", 1],
          ["r2", "r1", 0],
          ["r3", "r1", 0],
        ],
      );
      assert.deepEqual(
        (await store.everyRunIn({ status: "in_progress" })).map(({ id }) => id),
        ["r1", "r2", "fork", "r3"],
      );
    });
  },
);

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

everyStore("a conversation is deleted with everything under it", async (withStore) => {
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
  "runs that a fork elsewhere descends from stay when their conversation goes",
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
  "what continued a deleted run continues its parent, and a head goes back to it",
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
