import assert from "node:assert/strict";
import { isAccepted } from "../records/write-outcomes.ts";
import { everyStore } from "../testing/every-store.ts";
import { commit, createRun, delta, event, owner, start } from "../testing/store-fixtures.ts";

const note = event({ type: "run.heartbeat", at: 1 });

const query = { owner, runId: "r" };

everyStore(
  "if one write of a call is not accepted, the others are skipped or undone",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [start("i"), delta("i", "a")]);
      const outcomes = await store.write([
        { type: "journal", runId: "r", epoch: 1, writes: [delta("i", "lost")] },
        { type: "set-status", runId: "none", status: "queued" },
        { type: "create-grant", owner, sessionId: null, grant: { ...grant } },
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["skipped", "not_found", "skipped"],
      );
      assert.ok(outcomes.every((outcome) => !isAccepted(outcome)));
      assert.deepEqual((await store.listGrants({ owner })).data, []);
      // The writer's memory was restored too: numbers and deltas continue from before.
      assert.equal((await commit(store, "r", [delta("i", "b")]))[0]?.seq, 3);
      const compact = await store.readEventsCompact(query);
      assert.deepEqual(compact?.events.at(-1), {
        seq: 3,
        type: "item.delta",
        itemId: "i",
        delta: "ab",
      });
    });
  },
);

const bad = { type: "grant", grant: {} as never } as const;

// Contract: durability-34
everyStore("a write that the database rejects fails alone", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await createRun(store, { id: "s" });
    const [refused, good] = await Promise.allSettled([
      store.write([{ type: "journal", runId: "r", epoch: 1, writes: [note, bad] }]),
      store.write([{ type: "journal", runId: "s", epoch: 1, writes: [note] }]),
    ]);
    assert.equal(refused.status, "rejected");
    assert.match(String(refused.reason), /Writing to the store failed/);
    assert.equal(good.status, "fulfilled");
    assert.deepEqual(await store.readEvents(query), []);
    assert.equal((await store.readEvents({ owner, runId: "s" }))?.length, 1);
  });
});

everyStore(
  "a call that is rejected halfway stores nothing and does not affect other calls",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await createRun(store, { id: "good" });
      const item = { id: "i", item: {} };
      const [, refused] = await Promise.all([
        store.write([{ type: "journal", runId: "good", epoch: 1, writes: [note] }]),
        store.write([
          { type: "save-items", runId: "r", direction: "input", items: [item] },
          { type: "claim-run", runId: "r", epoch: 9 },
        ]),
        store.write([{ type: "journal", runId: "r", epoch: 1, writes: [note] }]),
      ]);
      assert.deepEqual(
        refused.map(({ status }) => status),
        ["skipped", "refused"],
      );
      assert.deepEqual(await store.listItems(query), []);
      assert.equal((await store.readEvents(query))?.length, 1);
      assert.equal((await store.readEvents({ owner, runId: "good" }))?.length, 1);
    });
  },
);

const grant = {
  id: "g",
  toolId: "t",
  verdict: "allow",
  scope: "always",
  definitionDigest: "d",
  principalId: "local",
  match: { type: "tool" },
  title: "t",
  grantedBy: "ann",
  createdAt: 1,
} as const;
