import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { owner } from "../../testing/store-fixtures.ts";

async function converse(store: Store, id: string): Promise<void> {
  const switches = { groups: {}, tools: {} };
  await store.write([
    { type: "create-conversation", id, owner, title: "", metadata: {}, switches },
  ]);
}

const save = (
  id: string,
  data: { readonly text: string },
  more: { readonly owner?: string } = {},
) =>
  ({
    type: "save-thread-object",
    owner,
    id,
    conversationId: "c",
    kind: "message",
    data,
    ...more,
  }) as const;

everyStore(
  "thread objects are listed in the order of creation, and replaced",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await store.write([save("b", { text: "1" }), save("a", { text: "2" })]);
      await store.write([save("b", { text: "3" })]);
      const all = await store.listThreadObjects({ owner, conversationId: "c" });
      assert.deepEqual(
        all.map(({ id, kind, data }) => [id, kind, data]),
        [
          ["b", "message", { text: "3" }],
          ["a", "message", { text: "2" }],
        ],
      );
      assert.deepEqual(await store.getThreadObject({ owner, id: "b" }), all[0]);
      const [gone] = await store.write([{ type: "delete-thread-object", owner, id: "b" }]);
      assert.equal(gone.status, "removed");
      assert.equal(await store.getThreadObject({ owner, id: "b" }), undefined);
    });
  },
);

everyStore(
  "thread objects of one user are absent for another, and need a conversation",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await store.write([save("a", { text: "1" })]);
      const other = { owner: "bob" };
      const refused = [
        save("a", { text: "2" }, other),
        save("new", { text: "2" }, other),
        { type: "delete-thread-object", id: "a", ...other },
      ] as const;
      for (const write of refused)
        assert.equal((await store.write([write]))[0].status, "not_found", write.type);
      assert.equal(await store.getThreadObject({ ...other, id: "a" }), undefined);
      assert.deepEqual(await store.listThreadObjects({ ...other, conversationId: "c" }), []);
      assert.deepEqual((await store.getThreadObject({ owner, id: "a" }))?.data, { text: "1" });
      await store.write([{ type: "delete-conversation", owner, id: "c" }]);
      assert.equal(await store.getThreadObject({ owner, id: "a" }), undefined);
    });
  },
);

everyStore("a new thread object is a change of its conversation", async (withStore) => {
  await withStore(async (store, clock) => {
    clock.set(1_000);
    await converse(store, "c");
    clock.set(5_000);
    await store.write([save("a", { text: "1" })]);
    const conversation = await store.getConversation({ owner, id: "c" });
    assert.equal(conversation?.updatedAt, 5_000);
    const start = { type: "conversation", id: "c" } as const;
    const [kept] = await store.write([{ type: "forget-lineage", owner, start, before: 2_000 }]);
    assert.equal(kept.status, "refused");
    const [gone] = await store.write([{ type: "forget-lineage", owner, start, before: 6_000 }]);
    assert.equal(gone.status, "deleted");
    assert.equal(await store.getThreadObject({ owner, id: "a" }), undefined);
  });
});

everyStore("a thread object replaces only the data that its writer has read", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "c");
    const write = async (text: string, replaces: { readonly text: string } | null) =>
      (await store.write([{ ...save("a", { text }), replaces }]))[0].status;
    assert.equal(await write("1", { text: "0" }), "refused");
    assert.equal(await write("1", null), "saved_object");
    assert.equal(await write("2", null), "refused");
    assert.equal(await write("2", { text: "1" }), "saved_object");
    assert.equal(await write("3", { text: "1" }), "refused");
    assert.deepEqual((await store.getThreadObject({ owner, id: "a" }))?.data, { text: "2" });
  });
});

everyStore(
  "a limit applies to all objects of a thread, and to all of a batch",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await store.write([save("a", { text: "1" }), save("b", { text: "2" })]);
      const limit = { objects: 4, bytes: 100 };
      const add = async (...writes: readonly ReturnType<typeof save>[]) => {
        const last = { ...writes.at(-1), limit } as ReturnType<typeof save>;
        return (await store.write([...writes.slice(0, -1), last])).at(-1)?.status;
      };
      const three = ["c", "d", "e"].map((id) => save(id, { text: "3" }));
      assert.equal(await add(...three), "refused");
      assert.equal((await store.listThreadObjects({ owner, conversationId: "c" })).length, 2);
      assert.equal(await add(save("c", { text: "é".repeat(40) })), "refused");
      assert.equal(await add(...three.slice(1)), "saved_object");
      assert.equal(await add(save("a", { text: "4" })), "saved_object");
      assert.equal((await store.listThreadObjects({ owner, conversationId: "c" })).length, 4);
    });
  },
);
