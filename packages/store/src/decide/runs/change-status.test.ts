import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { commit, createRun, owner, resultOf } from "../../testing/store-fixtures.ts";

// Contract: durability-4
everyStore(
  "a run does not end before it was created, even if the clock was set back",
  async (withStore) => {
    await withStore(async (store, clock) => {
      clock.set(10_000_000);
      await createRun(store, { id: "a" });
      clock.set(10_000_000 - 3_600_000);
      await createRun(store, { id: "b" });
      await commit(store, "a", [resultOf("completed")]);
      const run = await store.getRun({ owner, id: "a" });
      assert.equal(run?.endedAt, run?.createdAt);
      // Runs are listed in the order of creation.
      const { data } = await store.searchRuns({ owner });
      assert.deepEqual(
        data.map(({ id }) => id),
        ["b", "a"],
      );
    });
  },
);
