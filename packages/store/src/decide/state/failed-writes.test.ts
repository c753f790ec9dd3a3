import assert from "node:assert/strict";
import type { RunJournalWrite } from "../../records/store-writes.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  start,
} from "../../testing/store-fixtures.ts";

const note = event({ type: "run.heartbeat", at: 1 });

const query = { owner, runId: "r" };

const bad = { type: "grant", grant: {} as never } as const;

// Contract: durability-35
everyStore(
  "writes after a lost write also fail until the run is claimed again",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [note]);
      const write = (writes: readonly RunJournalWrite[]) =>
        store.write([{ type: "journal", runId: "r", epoch: 1, writes }]);
      const together = await Promise.allSettled([
        write([start("i"), bad]),
        write([delta("i", "without a beginning")]),
      ]);
      assert.deepEqual(
        together.map(({ status }) => status),
        ["rejected", "rejected"],
      );
      await assert.rejects(write([end("i", "")]), /an earlier one was lost/);
      assert.deepEqual(
        (await store.readEvents(query))?.map(({ type }) => type),
        ["run.heartbeat"],
      );
      await store.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.equal((await commit(store, "r", [note], 2))[0]?.seq, 2);
    });
  },
);

everyStore("a lost heartbeat does not make later writes fail", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const unwritable = event({ type: "run.heartbeat", at: 1n as never });
    const writes = [unwritable];
    await assert.rejects(store.write([{ type: "journal", runId: "r", epoch: 1, writes }]));
    assert.equal((await commit(store, "r", [start("i")]))[0]?.seq, 1);
  });
});
