import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { commit, createRun, event, owner, resultOf } from "../../testing/store-fixtures.ts";

const note = event({ type: "run.heartbeat", at: 1 });

const query = { owner, runId: "r" };

everyStore(
  "a process that lost a run cannot write to it: nothing of its attempt is stored",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await store.write([{ type: "claim-run", runId: "r" }]);
      const [old] = await store.write([{ type: "journal", runId: "r", epoch: 1, writes: [note] }]);
      assert.equal(old.status, "fenced");
      assert.deepEqual(await store.readEvents(query), []);
      assert.equal((await commit(store, "r", [note], 2))[0]?.seq, 1);
    });
  },
);

everyStore(
  "rejects writes after a run's end or to a run that does not exist",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [note, resultOf("error")]);
      for (const runId of ["r", "none"]) {
        const [late] = await store.write([{ type: "journal", runId, epoch: 1, writes: [note] }]);
        assert.equal(late.status, "fenced");
      }
      const [claim] = await store.write([{ type: "claim-run", runId: "r" }]);
      assert.equal(claim.status, "refused");
      assert.equal((await store.readEvents(query))?.length, 1);
    });
  },
);

everyStore("an illegal transition fences the whole journal", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r", status: "queued" });
    const [outcome] = await store.write([
      { type: "journal", runId: "r", epoch: 0, writes: [note], status: "completed" },
    ]);
    assert.equal(outcome.status, "fenced");
    assert.deepEqual(await store.readEvents(query), []);
    const [, cancelled] = await store.write([
      { type: "claim-run", runId: "r" },
      { type: "journal", runId: "r", epoch: 1, writes: [note], status: "cancelled" },
    ]);
    assert.equal(cancelled.status, "committed");
  });
});
