import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commit,
  createRun,
  delta,
  event,
  start,
  variableOf,
  withFileStore,
  withMemoryStore,
} from "../testing/store-fixtures.ts";
import type { RunJournalWrite } from "../records/store-writes.ts";

/** A value of the type for JSON that is not JSON. A faulty tool can return one. */
function broken(data: unknown): RunJournalWrite {
  return event({ type: "call.event", callId: "c", name: "n", data: data as string });
}
const large: RunJournalWrite = {
  type: "variable",
  change: { type: "set", variable: variableOf("large", "x".repeat(100_000)) },
};

for (const [kind, withStore] of [
  ["on disk", withFileStore],
  ["in memory", withMemoryStore],
] as const) {
  test(`a write that cannot be stored fails alone, ${kind}`, async () => {
    await withStore(async (store) => {
      await createRun(store, { id: "bad" });
      await createRun(store, { id: "good" });
      const writes = [
        commit(store, "good", [start("t"), delta("t", "a")]),
        commit(store, "bad", [broken({ n: 1n })]),
        commit(store, "good", [delta("t", "b")]),
        commit(store, "good", []),
      ];
      const outcomes = await Promise.allSettled(writes);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled", "fulfilled"],
      );
      const events = await store.readEvents({ owner: "local", runId: "good" });
      assert.deepEqual(
        events?.map(({ seq, type }) => [seq, type]),
        [
          [1, "item.start"],
          [2, "item.delta"],
          [3, "item.delta"],
        ],
      );
    });
  });
}

test("a large write that cannot be copied between threads does not block others", async () => {
  await withFileStore(async (store) => {
    await createRun(store, { id: "odd" });
    await createRun(store, { id: "good" });
    const odd = commit(store, "odd", [broken(() => 1), large]);
    const good = commit(store, "good", [start("t")]);
    await Promise.allSettled([odd]);
    assert.equal((await good).length, 1);
  });
});
