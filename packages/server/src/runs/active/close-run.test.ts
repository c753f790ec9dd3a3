import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store, StoreWrite } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

/** Returns a store whose `write` throws for the selected writes, like a failing database. */
function failing(store: Store, fails: (write: StoreWrite) => boolean): Store {
  const unwritable = { type: "grant", grant: {} as never } as const;
  return {
    ...store,
    write: (writes) =>
      store.write(
        writes.map((write) =>
          fails(write) && write.type === "journal"
            ? { ...write, writes: [...write.writes, unwritable] }
            : write,
        ),
      ) as ReturnType<typeof store.write<typeof writes>>,
  };
}

const isEnd = (write: StoreWrite): boolean =>
  write.type === "journal" && write.writes.some(({ type }) => type === "result");
const isRound = (write: StoreWrite): boolean =>
  write.type === "journal" &&
  write.writes.some((entry) => entry.type === "event" && entry.event.type === "round.started");

for (const [what, fails, times] of [
  ["in the middle", isRound, 1],
  ["with its end", isEnd, 1],
  ["with its end, and again when it is closed", isEnd, 2],
] as const) {
  test(`a run whose journal fails ${what} does not stay in progress`, async () => {
    await withMemoryStore(async (store) => {
      let left: number = times;
      const runs = createRuns({
        store: failing(store, (write) => left > 0 && fails(write) && left-- > 0),
        model: new ScriptedModel(["said"]),
      });
      const run = await begin(runs, requestOf("go"));
      const failed = await runIn(store, run.id, "failed");
      assert.equal(left, 0);
      assert.match(failed.result?.error?.message ?? "", /Writing to the store failed/);
    });
  });
}

// Contract: durability-9
test("does not close a run that another server took over", async () => {
  await withMemoryStore(async (store) => {
    const hold = Promise.withResolvers<string>();
    const runs = createRuns({ store, model: new ScriptedModel([() => hold.promise]) });
    const run = await begin(runs, requestOf("go"));
    await store.write([{ type: "claim-run", runId: run.id }]);
    hold.resolve("said");
    while (runs.isActive(run.id)) await new Promise(setImmediate);
    const now = await store.getRun({ owner, id: run.id });
    assert.deepEqual([now?.status, now?.epoch], ["in_progress", 2]);
  });
});
