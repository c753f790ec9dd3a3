import assert from "node:assert/strict";
import { setImmediate as tick } from "node:timers/promises";
import { test } from "node:test";
import fc from "fast-check";
import { followEvents } from "./follow-events.ts";
import type { Store } from "./store.ts";
import {
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  resultOf,
  start,
  withFileStore,
} from "../testing/store-fixtures.ts";
import { everyStore } from "../testing/every-store.ts";

const note = event({ type: "run.heartbeat", at: 1 });

/**
 * Reads to the end, with a pause before some events.
 *
 * @returns the numbers
 */
async function follow(
  store: Store,
  runId: string,
  options: { after: number; pauseEvery: number; limit: number },
) {
  const seen: number[] = [];
  for await (const { seq } of followEvents({
    store,
    owner,
    runId,
    after: options.after,
    limit: options.limit,
  })) {
    seen.push(seq);
    if (seen.length % options.pauseEvery === 0) for (let n = 0; n < 5; n++) await tick();
  }
  return seen;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n + 1);
}

// Contract: durability-2, durability-7
test("readers of any speed, from any number, see each event once and in order during the run", async () => {
  await withFileStore(async (store) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }),
        fc.array(
          fc.record({
            after: fc.nat(20),
            pauseEvery: fc.integer({ min: 1, max: 30 }),
            limit: fc.integer({ min: 1, max: 9 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        async (sizes, readers) => {
          const runId = `r${run++}`;
          await createRun(store, { id: runId });
          const total = sizes.reduce((sum, size) => sum + size, 0) + 3;
          const followed = readers.map((reader) => follow(store, runId, reader));
          await commit(store, runId, [start("i")]);
          const writes = sizes.map((size) =>
            commit(
              store,
              runId,
              Array.from({ length: size }, () => delta("i", "x")),
            ),
          );
          await tick();
          const late = follow(store, runId, { after: 0, pauseEvery: 3, limit: 4 });
          await Promise.all(writes);
          await commit(store, runId, [
            end("i", "x".repeat(total - 3)),
            note,
            resultOf("completed"),
          ]);
          for (const [index, { after }] of readers.entries())
            assert.deepEqual(await followed[index], range(after, Math.max(after, total)));
          assert.deepEqual(await late, range(0, total));
        },
      ),
      { numRuns: 25 },
    );
  });
});

everyStore("following an ended run replays it and ends", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [note, note, resultOf("completed")]);
    assert.deepEqual(await follow(store, "r", { after: 1, pauseEvery: 9, limit: 9 }), [2]);
  });
});

everyStore(
  "a reader continues after a pause and ends with the run even without a final event",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const seen = follow(store, "r", { after: 0, pauseEvery: 9, limit: 9 });
      await commit(store, "r", [note, resultOf("requires_action")]);
      await store.write([{ type: "claim-run", runId: "r" }]);
      await commit(store, "r", [note], 2);
      await tick();
      await store.write([
        { type: "journal", runId: "r", epoch: 2, writes: [], status: "cancelled" },
      ]);
      assert.deepEqual(await seen, [1, 2]);
    });
  },
);

everyStore("the buffer of a reader that does not read is bounded", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [note]);
    let pages = 0;
    const counted = {
      ...store,
      readEventPage: (query: Parameters<Store["readEventPage"]>[0]) => (
        pages++,
        store.readEventPage(query)
      ),
    };
    const reader = followEvents({ store: counted, owner, runId: "r", limit: 4 });
    assert.equal((await reader.next()).value?.seq, 1);
    for (let n = 0; n < 20; n++) await commit(store, "r", [note]);
    await commit(store, "r", [resultOf("completed")]);
    const seen: number[] = [];
    for await (const { seq } of reader) seen.push(seq);
    assert.deepEqual(seen, range(1, 21));
    assert.ok(pages >= 6, `read from the store in ${pages} pages`);
  });
});

everyStore(
  "if a published event did not arrive, the reader reads it from the store",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const deaf: Store = {
        ...store,
        subscribe: (runId, listener) =>
          store.subscribe(runId, (published) => {
            if (published.seqBefore !== 1) listener(published);
          }),
      };
      const seen = follow(deaf, "r", { after: 0, pauseEvery: 9, limit: 9 });
      for (let n = 0; n < 3; n++) {
        await tick();
        await commit(store, "r", [note]);
      }
      await commit(store, "r", [resultOf("completed")]);
      assert.deepEqual(await seen, [1, 2, 3]);
    });
  },
);

everyStore(
  "an abort signal ends the stream immediately and removes its listener",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      let listening = 0;
      const counted: Store = {
        ...store,
        subscribe: (runId, listener) => {
          listening += 1;
          const stop = store.subscribe(runId, listener);
          return () => {
            listening -= 1;
            stop();
          };
        },
      };
      const controller = new AbortController();
      const reader = followEvents({ store: counted, owner, runId: "r", signal: controller.signal });
      const waiting = reader.next();
      await tick();
      assert.equal(listening, 1);
      controller.abort();
      assert.equal((await waiting).done, true);
      assert.equal(listening, 0);
    });
  },
);

everyStore(
  "another owner's run has no events, and the stream of a deleted run ends",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [note, resultOf("completed")]);
      const foreign = followEvents({ store, owner: "other", runId: "r" });
      assert.equal((await foreign.next()).done, true);
      await store.write([{ type: "delete-run", owner, id: "r" }]);
      assert.deepEqual(await follow(store, "r", { after: 0, pauseEvery: 9, limit: 9 }), []);
    });
  },
);
