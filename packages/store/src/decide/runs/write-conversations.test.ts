import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { createRun, owner } from "../../testing/store-fixtures.ts";

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

everyStore(
  "a head moves by compare-and-set: a second writer gets a conflict that names the head",
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

everyStore(
  "an update changes only the given fields and the given tool switches",
  async (withStore) => {
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
  },
);

everyStore("lists conversations by their last change, in pages", async (withStore) => {
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
  "a conversation is pinned and archived without a change of its order",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await converse(store, "d");
      const move = (state: "open" | "pinned" | "archived") =>
        store.write([{ type: "update-conversation", owner, id: "c", update: { state } }]);
      const idsIn = async (state?: "open" | "pinned" | "archived") =>
        (await store.listConversations({ owner, ...(state && { state }) })).data.map(
          ({ id }) => id,
        );
      const before = await store.getConversation({ owner, id: "c" });
      await move("pinned");
      assert.deepEqual([await idsIn("pinned"), await idsIn("open")], [["c"], ["d"]]);
      const pinned = await store.getConversation({ owner, id: "c" });
      assert.deepEqual(pinned, { ...before, state: "pinned" });
      await move("archived");
      assert.deepEqual((await idsIn()).toSorted(), ["c", "d"]);
      await createRun(store, { id: "r", conversationId: "c" });
      await store.write([{ type: "move-head", owner, id: "c", from: null, to: "r" }]);
      assert.deepEqual(
        [await idsIn("archived"), (await idsIn("open")).toSorted()],
        [[], ["c", "d"]],
      );
    });
  },
);
