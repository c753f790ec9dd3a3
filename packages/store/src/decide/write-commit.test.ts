import assert from "node:assert/strict";
import fc from "fast-check";
import { everyStore } from "../testing/every-store.ts";
import { commit, createRun, delta, end, owner, start } from "../testing/store-fixtures.ts";

const ids = ["a", "b"] as const;
const step = fc.oneof(
  fc.record({ itemId: fc.constantFrom(...ids), text: fc.string({ maxLength: 3 }) }),
  fc.constant("together" as const),
);

everyStore(
  "deltas have the same numbers and content, whether they are committed alone or among other events",
  async (withStore) => {
    await withStore(async (store) => {
      let n = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const runId = `r${n++}`;
          await createRun(store, { id: runId });
          const writes = [start("a"), start("b")];
          const open = [...writes];
          for (const each of steps) {
            if (each === "together") await commit(store, runId, open.splice(0));
            else {
              const event = delta(each.itemId, each.text);
              writes.push(event);
              open.push(event);
            }
          }
          for (const itemId of ids) {
            const text = writes
              .map((write) => write.type === "event" && write.event)
              .map((event) =>
                event && event.type === "item.delta" && event.itemId === itemId ? event.delta : "",
              )
              .join("");
            writes.push(end(itemId, text));
            open.push(end(itemId, text));
          }
          const expected = writes.map((write, index) => ({
            seq: index + 1,
            ...(write.type === "event" && write.event),
          }));
          const before = await store.readEvents({ owner, runId });
          assert.deepEqual(before, expected.slice(0, writes.length - open.length));
          await commit(store, runId, open);
          assert.deepEqual(await store.readEvents({ owner, runId }), expected);
        }),
        { numRuns: 30 },
      );
    });
  },
);

everyStore(
  "rejects deltas if their run was claimed again, has ended or does not exist",
  async (withStore) => {
    await withStore(async (store) => {
      const write = async (runId: string, epoch: number) => {
        const [outcome] = await store.write([
          { type: "journal", runId, epoch, writes: [delta("i", "late")] },
        ]);
        return outcome.status;
      };
      await createRun(store, { id: "going" });
      await createRun(store, { id: "ended", status: "completed" });
      assert.deepEqual(
        [await write("going", 0), await write("ended", 1), await write("missing", 1)],
        ["fenced", "fenced", "fenced"],
      );
      assert.deepEqual(await store.readEvents({ owner, runId: "going" }), []);
    });
  },
);

everyStore("the tail has no deltas of a suspended run's item", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [start("i"), delta("i", "a")]);
    await store.write([
      { type: "journal", runId: "r", epoch: 1, writes: [], status: "requires_action" },
    ]);
    await commit(store, "r", [delta("i", "b")]);
    await commit(store, "r", [delta("i", "c")]);
    const events = await store.readEvents({ owner, runId: "r" });
    assert.deepEqual(
      events?.map((event) => [event.seq, event.type === "item.delta" ? event.delta : ""]),
      [
        [1, ""],
        [2, "a"],
        [3, "b"],
        [4, "c"],
      ],
    );
  });
});
