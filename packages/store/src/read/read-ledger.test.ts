import assert from "node:assert/strict";
import { everyStore } from "../testing/every-store.ts";
import { callRecord, commit, createRun, owner } from "../testing/store-fixtures.ts";

everyStore(
  "lists items in order, and finds them by id in the newest run that has them",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r1" });
      await createRun(store, { id: "r2" });
      const items = [
        { id: "i1", item: { n: 1 } },
        { id: "i2", item: { n: 2 } },
      ];
      await store.write([
        {
          type: "save-items",
          runId: "r1",
          direction: "output",
          items: [{ id: "o1", callId: "call_1", item: {} }],
        },
        { type: "save-items", runId: "r1", direction: "input", items },
        {
          type: "save-items",
          runId: "r2",
          direction: "input",
          items: [{ id: "i2", item: { n: 3 } }],
        },
      ]);
      const listed = (await store.listItems({ owner, runId: "r1" })) ?? [];
      assert.deepEqual(
        listed.map(({ id, direction }) => [id, direction]),
        [
          ["i1", "input"],
          ["i2", "input"],
          ["o1", "output"],
        ],
      );
      assert.equal((await store.listItems({ owner, runId: "r1", direction: "output" }))?.length, 1);
      assert.deepEqual((await store.getItem({ owner, id: "i2" }))?.item, { n: 3 });
      assert.equal((await store.findRun({ owner, itemId: "i2" }))?.id, "r2");
      assert.equal((await store.findRun({ owner, callId: "call_1" }))?.id, "r1");
      assert.equal(await store.findRun({ owner: "other", itemId: "i2" }), undefined);
      assert.equal(await store.getItem({ owner: "other", id: "i2" }), undefined);
    });
  },
);

everyStore("the id of a call in the ledger also finds its run", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [{ type: "call", call: callRecord("call_9", { owner: "client" }) }]);
    assert.equal((await store.findRun({ owner, callId: "call_9" }))?.id, "r");
    assert.equal(await store.findRun({ owner: "other", callId: "call_9" }), undefined);
  });
});
