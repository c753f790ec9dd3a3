import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { owner } from "../../testing/store-fixtures.ts";

async function converse(store: Store, id: string): Promise<void> {
  const switches = { groups: {}, tools: {} };
  await store.write([
    { type: "create-conversation", id, owner, title: `Chat ${id}`, metadata: {}, switches },
  ]);
}

const share = (conversationId: string, digest: string, more: { readonly owner?: string } = {}) =>
  ({
    type: "share-conversation",
    owner,
    conversationId,
    digest,
    content: `"${digest}"`,
    ...more,
  }) as const;

everyStore("a new link to a conversation replaces the earlier one", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "a");
    await store.write([share("a", "d1")]);
    assert.equal(await store.everyShareOf({ digest: "d1" }), '"d1"');
    await store.write([share("a", "d2")]);
    assert.equal(await store.everyShareOf({ digest: "d1" }), undefined);
    assert.equal(await store.everyShareOf({ digest: "d2" }), '"d2"');
    const found = await store.getShare({ owner, conversationId: "a" });
    assert.deepEqual([found?.conversationId, found?.title], ["a", "Chat a"]);
    assert.deepEqual(await store.listShares({ owner }), [found]);
  });
});

everyStore("only the owner can share a conversation and revoke its link", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "a");
    const [denied] = await store.write([share("a", "d0", { owner: "bob" })]);
    assert.equal(denied.status, "not_found");
    await store.write([share("a", "d1")]);
    const revoke = { type: "revoke-share", owner, conversationId: "a" } as const;
    const [kept] = await store.write([{ ...revoke, owner: "bob" }]);
    assert.equal(kept.status, "not_found");
    assert.equal(await store.getShare({ owner: "bob", conversationId: "a" }), undefined);
    assert.deepEqual(await store.listShares({ owner: "bob" }), []);
    const [revoked] = await store.write([revoke]);
    assert.equal(revoked.status, "removed");
    assert.equal(await store.everyShareOf({ digest: "d1" }), undefined);
    const [again] = await store.write([revoke]);
    assert.equal(again.status, "not_found");
  });
});

everyStore("a link ends with its conversation", async (withStore) => {
  await withStore(async (store) => {
    await converse(store, "a");
    await store.write([share("a", "d1")]);
    await store.write([{ type: "delete-conversation", owner, id: "a" }]);
    assert.equal(await store.everyShareOf({ digest: "d1" }), undefined);
    assert.deepEqual(await store.listShares({ owner }), []);
  });
});
