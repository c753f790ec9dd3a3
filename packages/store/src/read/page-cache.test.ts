import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import { cachePages } from "./page-cache.ts";
import type { Store } from "../live/store.ts";
import { everyStore } from "../testing/every-store.ts";
import {
  commit,
  createRun,
  delta,
  end,
  owner,
  resultOf,
  start,
} from "../testing/store-fixtures.ts";

/** A finished item and an unfinished one. */
async function writeTexts(store: Store, pieces: readonly string[]): Promise<void> {
  await createRun(store, { id: "r" });
  await commit(store, "r", [start("i"), ...pieces.map((piece) => delta("i", piece))]);
  await commit(store, "r", [end("i", pieces.join("")), start("open")]);
  await commit(
    store,
    "r",
    pieces.map((piece) => delta("open", piece)),
  );
}

function lengthOf(events: readonly RunEvent[]): number {
  return events.reduce(
    (sum, each) => sum + (each.type === "item.delta" ? each.delta.length : 0),
    0,
  );
}

everyStore(
  "a page has a limited size or one event, and the next page follows it, for several concurrent readers",
  async (withStore) => {
    await withStore(async (store) => {
      await writeTexts(store, ["12345", "6", "7890123456", "", "7"]);
      const page = await store.readEventPage({ owner, runId: "r", after: 0, limit: 100 });
      assert.equal(page?.events.length, 13);
      assert.equal(page.full, false);
      for (const size of [1, 7, 60, 1_000])
        for (const limit of [1, 3, 100]) {
          const seen: RunEvent[] = [];
          for (let full = true; full;) {
            const query = { owner, runId: "r", after: seen.length, limit, size };
            const next = await store.readEventPage(query);
            assert.ok(next !== undefined && next.events.length <= limit);
            assert.ok(next.events.length === 1 || lengthOf(next.events) <= size);
            seen.push(...next.events);
            assert.ok(next.full || seen.length === 13);
            full = next.full && seen.length < 13;
          }
          assert.deepEqual(seen, page.events);
        }
      await commit(store, "r", [resultOf("completed")]);
      assert.deepEqual(
        await store.readEventPage({ owner, runId: "r", after: 13, limit: 9, size: 9 }),
        { events: [], full: false, ended: true },
      );
    });
  },
);

everyStore(
  "only the owner gets cached pages of a run, which are evicted when the run is deleted",
  async (withStore) => {
    await withStore(async (store) => {
      await writeTexts(store, ["12345", "67890"]);
      const query = { runId: "r", after: 2, limit: 9, size: 5 };
      await store.readEventPage({ ...query, owner, after: 0 });
      assert.equal((await store.readEventPage({ ...query, owner }))?.events.length, 1);
      assert.equal(await store.readEventPage({ ...query, owner: "other" }), undefined);
      await commit(store, "r", [resultOf("completed")]);
      await store.write([{ type: "delete-run", owner, id: "r" }]);
      assert.equal(await store.readEventPage({ ...query, owner }), undefined);
    });
  },
);

test("the cache of all readers is bounded and evicts the least recently used pages first", async () => {
  const text = "x".repeat(3_000_000);
  const reads: string[] = [];
  const read = cachePages(
    async ({ runId, after }) => {
      reads.push(runId);
      const event = { type: "item.delta", itemId: "i", delta: text } as const;
      const events = [1, 2].map((n) => ({ ...event, seq: after + n }));
      return { events, full: false, ended: false };
    },
    async () => true,
    16_000_000,
  );
  const part = (runId: string, after: number) => read({ owner, runId, after, limit: 9, size: 9 });
  await part("a", 0);
  await part("b", 0);
  await part("a", 1);
  await part("c", 0);
  await part("a", 1);
  assert.deepEqual(reads, ["a", "b", "c"]);
  await part("b", 1);
  assert.deepEqual(reads, ["a", "b", "c", "b"]);
});

test("readers who request the same page at once share it", async () => {
  const asked: (() => void)[] = [];
  const read = cachePages(
    async ({ after }) => {
      await new Promise<void>((resolve) => asked.push(resolve));
      const event = { type: "item.delta", itemId: "i", delta: "x".repeat(100) } as const;
      const events = [1, 2].map((n) => ({ ...event, seq: after + n }));
      return { events, full: false, ended: false };
    },
    async () => true,
    16_000_000,
  );
  const query = { owner, runId: "r", after: 0, limit: 9, size: 9 };
  const pages = Promise.all([read(query), read(query)]);
  for (const answer of asked) answer();
  const [one, other] = await pages;
  assert.ok(one?.events[0] !== undefined && one.events[0] === other?.events[0]);
});

test("caches a page that is larger than the cache in part, so that it is not read for each request", async () => {
  let reads = 0;
  const whole = Array.from({ length: 200 }, (_, n) => n + 1);
  const delta = "x".repeat(90_000);
  const read = cachePages(
    async ({ after }) => {
      reads += 1;
      const events = whole
        .slice(after)
        .map((seq) => ({ type: "item.delta", itemId: "i", delta, seq }) as const);
      return { events, full: false, ended: true };
    },
    async () => true,
    16_000_000,
  );
  let seen = 0;
  for (let full = true; full;) {
    const page = await read({ owner, runId: "r", after: seen, limit: 256, size: 65_536 });
    for (const { seq } of page?.events ?? []) assert.equal(seq, ++seen);
    full = seen < 200;
    assert.ok(page !== undefined && page.events.length > 0);
  }
  assert.equal(reads, 2);
});

test("returns an event that is larger than the cache without caching it", async () => {
  let reads = 0;
  const delta = "x".repeat(17_000_000);
  const read = cachePages(
    async () => {
      reads += 1;
      return {
        events: [{ type: "item.delta", itemId: "i", delta, seq: 1 }],
        full: false,
        ended: true,
      };
    },
    async () => true,
    16_000_000,
  );
  const query = { owner, runId: "r", after: 0, limit: 9, size: 9 };
  for (const _ of [1, 2]) assert.equal((await read(query))?.events.length, 1);
  assert.equal(reads, 2);
});
