import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import { everyStore } from "./testing/every-store.ts";
import { commit, createRun, delta, end, event, owner, start } from "./testing/store-fixtures.ts";
import { GatheredJournals } from "./gathered-journals.ts";
import type { RunJournalWrite, StoreWrite } from "./store-write.ts";

const call = (status: CallRecord["status"], more: Partial<CallRecord> = {}): RunJournalWrite => ({
  type: "call",
  call: { callId: "c", status, ...more } as CallRecord,
});

function gathering() {
  const submitted: (readonly StoreWrite[])[] = [];
  const journals = new GatheredJournals(async (writes) => {
    submitted.push(writes);
  });
  const write = (runId: string, writes: readonly RunJournalWrite[], epoch = 1) =>
    journals.add([{ type: "journal", runId, epoch, writes }]);
  return { journals, submitted, write };
}

test("journals of a run that wait for the same commit are one, and each knows its events", () => {
  const { submitted, write, journals } = gathering();
  write("a", [start("t")]);
  write("b", [start("t")]);
  const { from, to } = write("a", [delta("t", "1"), delta("t", "2")]);
  assert.deepEqual([from, to], [1, 3]);
  assert.equal(submitted.length, 2);
  journals.taken();
  write("a", [delta("t", "3")]);
  assert.equal(submitted.length, 3, "what was taken is not added to");
});

test("nothing is moved before what concerns its run, nor into another epoch", () => {
  const { submitted, write, journals } = gathering();
  write("a", [start("t")]);
  write("b", [start("t")]);
  journals.add([{ type: "claim-run", runId: "a" }]);
  write("a", [delta("t", "1")]);
  write("b", [delta("t", "1")]);
  assert.equal(submitted.length, 4, "the claim stands between the two of its run");
  write("a", [delta("t", "2")], 2);
  assert.equal(submitted.length, 5);
  journals.add([{ type: "answer-approval", owner, id: "x", answer: { decision: "allow" } }]);
  write("b", [delta("t", "2")]);
  assert.equal(submitted.length, 7, "it may be about any run");
});

test("a call that starts in the commit that allows it is one row, at its place", () => {
  const { submitted, write } = gathering();
  write("a", [call("approved"), call("approved", { callId: "d" })]);
  write("a", [call("started")]);
  write("a", [call("succeeded")]);
  const [journal] = submitted[0] ?? [];
  assert.ok(journal?.type === "journal");
  assert.deepEqual(
    journal.writes.map((each) => each.type === "call" && [each.call.callId, each.call.status]),
    [
      ["c", "started"],
      ["d", "approved"],
      ["c", "succeeded"],
    ],
  );
});

everyStore("each of several commits of a run gets its own events", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const written = await Promise.all([
      commit(store, "r", [start("t")]),
      commit(store, "r", [delta("t", "a"), delta("t", "b")]),
      commit(store, "r", []),
      commit(store, "r", [end("t", "ab")]),
    ]);
    assert.deepEqual(
      written.map((events) => events.map(({ seq }) => seq)),
      [[1], [2, 3], [], [4]],
    );
    const events = await store.readEvents({ owner, runId: "r", after: 1 });
    assert.deepEqual(
      events?.map((each) => (each.type === "item.delta" ? each.delta : each.type)),
      ["a", "b", "item.end"],
    );
    const note = event({ type: "chain.resumed", at: 1 });
    assert.deepEqual(
      (await commit(store, "r", [note])).map(({ seq }) => seq),
      [5],
    );
  });
});

everyStore("an item that ends as it begins, beside one that goes on", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [start("s"), delta("s", "x"), start("t"), delta("t", "a")]);
    await commit(store, "r", [start("u"), delta("u", "1"), delta("s", "y"), end("u", "1")]);
    await commit(store, "r", [delta("s", "z"), delta("t", "b"), end("t", "ab")]);
    const events = (await store.readEvents({ owner, runId: "r" })) ?? [];
    assert.deepEqual(
      events.map((each) => (each.type === "item.delta" ? each.itemId + each.delta : each.type)),
      [
        "item.start",
        "sx",
        "item.start",
        "ta",
        "item.start",
        "u1",
        "sy",
        "item.end",
        "sz",
        "tb",
        "item.end",
      ],
    );
  });
});
