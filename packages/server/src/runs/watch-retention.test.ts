import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { dayMs, owner } from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn } from "../testing/run-fixtures.ts";
import { watchRetention } from "./watch-retention.ts";

const hourMs = 60 * 60 * 1_000;

/** Waits until the due tasks have ended. */
async function passes(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  for (let turn = 0; turn < 200; turn++) {
    await new Promise(setImmediate);
    clock.advance(10);
  }
}

test("old data is deleted every hour, and its texts are evicted from caches", async () => {
  const clock = new FakeClock(1_000 * dayMs);
  const store = openMemoryStore({ clock });
  const runs = createRuns({ store, model: new ScriptedModel(["one", "two"]), clock });
  const old = await begin(runs, requestOf("first"));
  await runIn(store, old.id, "completed");
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const stop = watchRetention({ runs, retention: { days: 30 }, clock, log });
  await passes(clock, 29 * dayMs);
  const young = await begin(runs, requestOf("second"));
  await runIn(store, young.id, "completed");
  assert.notEqual(await store.getRun({ owner, id: old.id }), undefined);
  await passes(clock, 2 * dayMs);
  await passes(clock, hourMs);
  assert.equal(await store.getRun({ owner, id: old.id }), undefined);
  assert.notEqual(await store.getRun({ owner, id: young.id }), undefined);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /deleted old data of local \(conversations: 0, runs: 1,/);
  stop();
  assert.equal(clock.pending, 0);
});

test("a watch that is stopped during a sweep ends without a log line", async () => {
  const clock = new FakeClock(1_000 * dayMs);
  const store = openMemoryStore({ clock });
  const runs = createRuns({ store, model: new ScriptedModel(["one"]), clock });
  await runIn(store, (await begin(runs, requestOf("x"))).id, "completed");
  const log = (line: string) => assert.fail(line);
  const stop = watchRetention({ runs, retention: { days: 1 }, clock, log });
  clock.advance(2 * dayMs);
  stop();
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.equal(clock.pending, 0);
});
