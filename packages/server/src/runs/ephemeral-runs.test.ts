import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { EphemeralRuns } from "./ephemeral-runs.ts";
import { begin, createRuns, requestOf, runIn } from "../testing/run-fixtures.ts";

const run = (id: string) => ({ id, owner });

test("ended runs are forgotten after their time, and the oldest first where there are many", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const forgotten: string[] = [];
  const ephemeral = new EphemeralRuns({ ttlMs: 100, maxRuns: 2 }, ({ id }) => forgotten.push(id));
  ephemeral.onEnd(run("a"), false);
  ephemeral.onEnd(run("b"), true);
  ephemeral.onEnd(run("a"), false);
  ephemeral.onEnd(run("c"), false);
  assert.deepEqual(forgotten, ["b"]);
  context.mock.timers.tick(100);
  assert.deepEqual(forgotten, ["b", "a", "c"]);
});

test("a run that still asks is kept a day", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const forgotten: string[] = [];
  const ephemeral = new EphemeralRuns({ ttlMs: 100, maxRuns: 2 }, ({ id }) => forgotten.push(id));
  ephemeral.onEnd(run("a"), true);
  context.mock.timers.tick(24 * 60 * 60 * 1_000 - 1);
  assert.deepEqual(forgotten, []);
  context.mock.timers.tick(1);
  assert.deepEqual(forgotten, ["a"]);
});

test("a store of ephemeral runs holds no more of them than it may", async () => {
  const store = openMemoryStore();
  const model = new ScriptedModel(["one", "two", "three"]);
  const runs = createRuns({ store, model, ephemeral: { ttlMs: 60_000, maxRuns: 2 } });
  const ids: string[] = [];
  for (const text of ["1", "2", "3"]) {
    const { id } = await begin(runs, requestOf(text));
    ids.push(id);
    await runIn(store, id, "completed");
  }
  // The first run is forgotten in the commit after the last one's end.
  while ((await store.getRun({ owner, id: ids[0]! })) !== undefined)
    await new Promise(setImmediate);
  const left = await Promise.all(ids.map((id) => store.getRun({ owner, id })));
  assert.deepEqual(
    left.map((one) => one?.id),
    [undefined, ids[1], ids[2]],
  );
});
