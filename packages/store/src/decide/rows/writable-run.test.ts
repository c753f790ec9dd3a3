import assert from "node:assert/strict";
import {
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  resultOf,
  start,
} from "../../testing/store-fixtures.ts";
import { everyStore } from "../../testing/every-store.ts";
import { isAccepted, type RunJournalWrite } from "../../records/store-writes.ts";

const note = event({ type: "run.heartbeat", at: 1 });
const query = { owner, runId: "r" };

everyStore(
  "who lost a run cannot write into it, and nothing of the attempt is kept",
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
  "nothing is written after the end, nor into a run that does not exist",
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

everyStore("a transition that is not legal fences the whole journal", async (withStore) => {
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

everyStore("only one of two claims from the same epoch wins", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r", status: "queued" });
    const claims = await Promise.all(
      [1, 2].map(() => store.write([{ type: "claim-run", runId: "r", epoch: 0 }])),
    );
    assert.deepEqual(
      claims.map(([claim]) => claim?.status),
      ["claimed", "refused"],
    );
  });
});

everyStore(
  "one call is all or nothing: where one write is not accepted the others are skipped and undone",
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
      // What the writer remembers was undone too: numbers and deltas go on where they were.
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

everyStore("a write that the database refuses fails alone", async (withStore) => {
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
  "what follows a write that was lost is lost with it, until the run is claimed anew",
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
      await assert.rejects(write([end("i", "")]), /something before it was lost/);
      assert.deepEqual(
        (await store.readEvents(query))?.map(({ type }) => type),
        ["run.heartbeat"],
      );
      await store.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.equal((await commit(store, "r", [note], 2))[0]?.seq, 2);
    });
  },
);

everyStore("a sign of life that was lost holds nothing back", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const unwritable = event({ type: "run.heartbeat", at: 1n as never });
    const writes = [unwritable];
    await assert.rejects(store.write([{ type: "journal", runId: "r", epoch: 1, writes }]));
    assert.equal((await commit(store, "r", [start("i")]))[0]?.seq, 1);
  });
});

everyStore(
  "a call that is refused half-way leaves nothing, and takes nobody with it",
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
