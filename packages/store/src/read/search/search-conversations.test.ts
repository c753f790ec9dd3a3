import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { commit, createRun, owner, resultOf } from "../../testing/store-fixtures.ts";

async function openConversation(store: Store): Promise<void> {
  const empty = { title: "", metadata: {}, switches: { groups: {}, tools: {} } };
  await store.write([{ type: "create-conversation", id: "c", owner, ...empty }]);
}

async function endedRun(store: Store, id: string, conversationId: string | null): Promise<void> {
  await createRun(store, { id, ...(conversationId !== null && { conversationId }) });
  await commit(store, id, [resultOf("completed")]);
}

const index = (store: Store, words: { readonly [runId: string]: readonly string[] }) =>
  store.write([
    {
      type: "index-runs",
      owner,
      runs: Object.entries(words).map(([id, of]) => ({ id, words: of })),
    },
  ]);

const find = (store: Store, words: readonly string[], more: object = {}) =>
  store
    .searchConversations({ owner, words, limit: 10, ...more })
    .then((runs) => runs.map(({ runId }) => runId));

everyStore("finds the runs that have all words, newest first", async (withStore) => {
  await withStore(async (store) => {
    await openConversation(store);
    for (const id of ["r1", "r2", "r3"]) await endedRun(store, id, "c");
    await createRun(store, { id: "open", conversationId: "c" });
    await endedRun(store, "elsewhere", null);
    const unindexed = () => store.listUnindexedRuns({ owner, limit: 10 });
    assert.deepEqual(await unindexed(), ["r3", "r2", "r1"]);
    await index(store, {
      r1: ["wship", "wharbor"],
      r2: ["wship"],
      r3: ["wharbormaster", "wship"],
      open: ["wship"],
      unknown: ["wship"],
    });
    assert.deepEqual(await unindexed(), []);
    assert.deepEqual(await find(store, ["wship"]), ["r3", "r2", "r1"]);
    assert.deepEqual(await find(store, ["wship", "wharbor"]), ["r1"]);
    assert.deepEqual(await find(store, ["wship"], { start: "wharb" }), ["r3", "r1"]);
    assert.deepEqual(await find(store, [], { start: "wharb", limit: 1 }), ["r3"]);
    assert.deepEqual(await find(store, ["wship"], { owner: "another" }), []);
    assert.deepEqual(await find(store, ["wship OR", "'\""]), []);
  });
});

everyStore("a run is indexed once, and its words go with it", async (withStore) => {
  await withStore(async (store) => {
    await openConversation(store);
    await endedRun(store, "r1", "c");
    await index(store, { r1: ["wone"] });
    await index(store, { r1: ["wtwo"] });
    assert.deepEqual(await find(store, ["wone"]), ["r1"]);
    assert.deepEqual(await find(store, ["wtwo"]), []);
    await store.write([{ type: "delete-run", owner, id: "r1" }]);
    assert.deepEqual(await find(store, ["wone"]), []);
    await endedRun(store, "r2", "c");
    await index(store, { r2: ["wtwo"] });
    assert.deepEqual(await find(store, ["wone"]), []);
    assert.deepEqual(await find(store, ["wtwo"]), ["r2"]);
  });
});
