import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { RunStores } from "./run-stores.ts";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

const run = (id: string) => ({ id, owner });

function limited(limits: { readonly ttlMs: number; readonly maxRuns: number }) {
  const expired: string[] = [];
  const stores = new RunStores({ durable: openMemoryStore(), memory: openMemoryStore(), limits });
  stores.setExpiryListener(({ id }) => expired.push(id));
  for (const id of ["a", "b", "c"]) stores.placeInMemory(id);
  return { stores, expired };
}

test("ended runs are forgotten after their time, and the oldest first where there are many", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { stores, expired } = limited({ ttlMs: 100, maxRuns: 2 });
  stores.stopped(run("a"), false);
  stores.stopped(run("b"), true);
  stores.stopped(run("a"), false);
  stores.stopped(run("c"), false);
  assert.deepEqual(expired, ["b"]);
  context.mock.timers.tick(100);
  assert.deepEqual(expired, ["b", "a", "c"]);
});

test("a run that still asks is kept a day, and one that is kept for good has no time", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { stores, expired } = limited({ ttlMs: 100, maxRuns: 2 });
  stores.stopped(run("a"), true);
  stores.stopped(run("durable"), false);
  context.mock.timers.tick(24 * 60 * 60 * 1_000 - 1);
  assert.deepEqual(expired, []);
  context.mock.timers.tick(1);
  assert.deepEqual(expired, ["a"]);
});

test("memory holds no more runs than it may, and a run that is kept is not in it", async () => {
  const [store, memory] = [openMemoryStore(), openMemoryStore()];
  const model = new ScriptedModel(["one", "two", "three", "four"]);
  const memoryLimits = { ttlMs: 60_000, maxRuns: 2 };
  const runs = createRuns({ store, memory, model, memoryLimits });
  const ids: string[] = [];
  for (const text of ["1", "2", "3"]) {
    const outcome = await runs.start(requestOf(text), { kept: false });
    assert.equal(outcome.status, "started");
    const { id } = (outcome as { run: { id: string } }).run;
    ids.push(id);
    await runIn(memory, id, "completed");
  }
  const kept = await begin(runs, requestOf("4"));
  await runIn(store, kept.id, "completed");
  // The first run is deleted in the commit after the last one's end.
  while ((await memory.getRun({ owner, id: ids[0]! })) !== undefined)
    await new Promise(setImmediate);
  const left = await Promise.all([...ids, kept.id].map((id) => memory.getRun({ owner, id })));
  assert.deepEqual(
    left.map((one) => one?.id),
    [undefined, ids[1], ids[2], undefined],
  );
});

test("a run in memory that could not be stored is forgotten after its time", async () => {
  const memory = openMemoryStore();
  const ids: string[] = [];
  const failing = Object.assign(Object.create(memory) as typeof memory, {
    write: ([first]: Parameters<typeof memory.write>[0]) => {
      if (first?.type === "create-run") ids.push(first.run.id);
      return Promise.reject(new Error("no memory"));
    },
  });
  const memoryLimits = { ttlMs: 1, maxRuns: 2 };
  const options = { memory: failing, model: new ScriptedModel([]), memoryLimits };
  const runs = createRuns(options);
  await assert.rejects(runs.start(requestOf("1"), { kept: false }), /no memory/);
  const { durable } = runs.stores;
  assert.equal(runs.stores.of(ids[0]!), failing);
  Object.assign(failing, { write: memory.write.bind(memory) });
  await runs.expireApprovals();
  while (runs.stores.of(ids[0]!) !== durable) await new Promise((soon) => setTimeout(soon, 1));
});
