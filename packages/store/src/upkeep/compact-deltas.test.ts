import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../records/store.ts";
import { openMemoryStore, openStore } from "../sqlite/open-store.ts";
import {
  commit,
  createRun,
  delta,
  end,
  owner,
  resultOf,
  settableClock,
  start,
  withDataDir,
} from "../testing/store-fixtures.ts";
import { checkStore } from "./maintenance.ts";
import { dayMs } from "./retention-rules.ts";
import { type CompactionProgress, compactDeltas } from "./compact-deltas.ts";
import { deltaTexts, writeStreamedItems } from "../testing/streamed-items.ts";

const eventsOf = async (store: Store, after = 0) =>
  (await store.readEvents({ owner, runId: "r", after })) ?? [];

test("a run that is not old enough is left, and looked at again", async () => {
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  await writeStreamedItems(store, "r");
  const before = await eventsOf(store);
  const first = await compactDeltas({ store, deltaDays: 7, now: 6 * dayMs });
  assert.equal(first.bytes, 0);
  assert.deepEqual(await eventsOf(store), before);
  const second = await compactDeltas({ store, deltaDays: 7, now: 8 * dayMs, seen: first.seen });
  assert.ok(second.bytes > 0);
  const third = await compactDeltas({ store, deltaDays: 7, now: 9 * dayMs, seen: second.seen });
  assert.deepEqual(third, { seen: second.seen, bytes: 0 });
});

test("runs that go on hold up no other, are shortened once they are old enough, and nothing is read twice", async () => {
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  const goesOn = Array.from({ length: 120 }, (_, index) => `goes on ${index}`);
  for (const id of goesOn) await createRun(store, { id });
  await writeStreamedItems(store, "r");
  const asked: (readonly number[] | undefined)[] = [];
  const watched: Store = {
    ...store,
    everyShorterCuts: (query) => {
      asked.push(query.among);
      return store.everyShorterCuts(query);
    },
  };
  const sweep = (day: number, seen?: CompactionProgress) =>
    compactDeltas({ store: watched, deltaDays: 7, now: day * dayMs, ...(seen && { seen }) });
  const first = await sweep(8);
  assert.ok(first.bytes > 0);
  assert.equal(first.seen.young.length, goesOn.length);
  // One of them says something at last, and ends.
  clock.set(8 * dayMs);
  const text = deltaTexts.join("");
  const said = deltaTexts.map((word) => delta("a", word));
  await commit(store, "goes on 110", [start("a"), ...said, end("a", text), resultOf("completed")]);
  await writeStreamedItems(store, "later");
  const second = await sweep(9, first.seen);
  assert.deepEqual(second, { seen: first.seen, bytes: 0 });
  asked.length = 0;
  const third = await sweep(16, second.seen);
  assert.ok(third.bytes > 0);
  assert.deepEqual(
    asked.map((among) => among?.length),
    [100, 100, 20, undefined],
  );
  assert.equal(third.seen.young.length, goesOn.length - 1);
  assert.deepEqual((await sweep(17, third.seen)).bytes, 0);
});

test("a store whose deltas were shortened is sound", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir, durability: "process" });
    await writeStreamedItems(store, "r");
    const { bytes } = await compactDeltas({ store, deltaDays: 0, now: Date.now() + 1_000 });
    assert.ok(bytes > 0);
    assert.deepEqual((await checkStore(dataDir)).problems, []);
    await store.close();
  });
});
