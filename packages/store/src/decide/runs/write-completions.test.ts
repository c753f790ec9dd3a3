import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import type { NewCompletion } from "../../records/store-writes.ts";
import { everyStore } from "../../testing/every-store.ts";
import { owner } from "../../testing/store-fixtures.ts";

async function create(
  store: Store,
  id: string,
  completion: Partial<NewCompletion> & { readonly owner?: string } = {},
): Promise<void> {
  const { owner: of = owner, ...more } = completion;
  const run = { id, owner: of, model: "m", status: "completed", request: {}, input: [] } as const;
  const fields = { choice: 0, model: "m", metadata: { id }, ...more };
  const outcomes = await store.write([
    { type: "create-run", run },
    { type: "create-completion", owner: of, runId: id, completion: fields },
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["created", "created"],
  );
}

const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

everyStore("chat completions are listed by owner and model, in both orders", async (withStore) => {
  await withStore(async (store) => {
    await create(store, "a");
    await create(store, "b", { model: "other" });
    await create(store, "b2", { of: "b", choice: 1, model: "other" });
    await create(store, "x", { owner: "bob" });
    await create(store, "c");
    assert.deepEqual(ids(await store.listCompletions({ owner })), ["a", "b", "c"]);
    assert.deepEqual(ids(await store.listCompletions({ owner, order: "desc" })), ["c", "b", "a"]);
    assert.deepEqual(ids(await store.listCompletions({ owner, model: "m" })), ["a", "c"]);
    assert.deepEqual(ids(await store.listCompletions({ owner, after: "a", limit: 1 })), ["b"]);
    const before = { owner, after: "c", order: "desc" } as const;
    assert.deepEqual(ids(await store.listCompletions(before)), ["b", "a"]);
    assert.deepEqual(await store.getCompletion({ owner, id: "b" }), {
      id: "b",
      metadata: { id: "b" },
      runIds: ["b", "b2"],
    });
    assert.equal(await store.getCompletion({ owner, id: "b2" }), undefined);
  });
});

everyStore(
  "a chat completion is changed by its owner, and deleted with its run",
  async (withStore) => {
    await withStore(async (store) => {
      await create(store, "a");
      const change = { type: "change-completion", id: "a", metadata: { k: "v" } } as const;
      const [refused] = await store.write([{ ...change, owner: "bob" }]);
      assert.equal(refused.status, "not_found");
      assert.equal(await store.getCompletion({ owner: "bob", id: "a" }), undefined);
      await store.write([{ ...change, owner }]);
      assert.deepEqual((await store.getCompletion({ owner, id: "a" }))?.metadata, { k: "v" });
      await store.write([{ type: "delete-run", owner, id: "a" }]);
      assert.equal(await store.getCompletion({ owner, id: "a" }), undefined);
      assert.deepEqual(await store.listCompletions({ owner }), []);
      const [gone] = await store.write([{ ...change, owner }]);
      assert.equal(gone.status, "not_found");
    });
  },
);
