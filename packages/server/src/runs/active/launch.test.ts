import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { defaultServerLimits, type ServerLimits } from "../request/run-limits.ts";
import { begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const limits: ServerLimits = { ...defaultServerLimits, runMs: 5_000 };
const look = { calls: [{ name: "Look" }] };
const never = Promise.withResolvers<never>().promise;

/** Waits until a run's journal contains an event of this type. */
async function hasEvent(store: Store, runId: string, wanted: string, times = 1): Promise<void> {
  for (;;) {
    const events = (await store.readEvents({ owner, runId })) ?? [];
    if (events.filter(({ type }) => type === wanted).length >= times) return;
    await new Promise(setImmediate);
  }
}

/**
 * Creates a run that spent 3 of its 5 seconds on a call, and whose server died during a model
 * request.
 */
async function diedAfterThreeSeconds(store: Store, clock: FakeClock): Promise<string> {
  const tools = [tool("Look", () => clock.advance(3_000))];
  const model = new ScriptedModel([look, () => never]);
  const { id } = await begin(
    createRuns({ store, model, tools, limits, clock }),
    requestOf("QUESTION"),
  );
  await hasEvent(store, id, "round.started", 2);
  return id;
}

async function takenUp(store: Store, clock: FakeClock, id: string): Promise<void> {
  const runs = createRuns({ store, model: new ScriptedModel([() => never]), limits, clock });
  await runs.recover(await runs.listUnfinished());
  await hasEvent(store, id, "chain.resumed");
}

// Contract: durability-23
test("a run that resumes after a crash has only its remaining time", async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  const id = await diedAfterThreeSeconds(store, clock);
  // No process owned the run in the meantime.
  clock.advance(60_000);
  await takenUp(store, clock, id);
  clock.advance(1_999);
  await new Promise(setImmediate);
  assert.equal((await store.getRun({ owner, id }))?.status, "in_progress");
  clock.advance(1);
  assert.equal((await runIn(store, id, "expired")).result?.error?.code, "timeout");
  await store.close();
});

// Contract: durability-23
test("the queue time of a handed-back run does not count while a reader streams it", async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  const first = createRuns({ store, model: new ScriptedModel([() => never]), limits, clock });
  const { id } = await begin(first, requestOf("QUESTION"));
  await hasEvent(store, id, "round.started");
  const closed = first.close(0);
  clock.advance(0);
  await closed;
  clock.advance(60_000);
  first.heartbeat({ owner, id });
  await hasEvent(store, id, "run.heartbeat");
  await takenUp(store, clock, id);
  clock.advance(4_999);
  await new Promise(setImmediate);
  assert.equal((await store.getRun({ owner, id }))?.status, "in_progress");
  clock.advance(1);
  await runIn(store, id, "expired");
  await store.close();
});

// Contract: durability-23
test("the time that a run was queued before its start does not count when it resumes", async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  const first = createRuns({
    store,
    model: new ScriptedModel([() => never, () => never]),
    limits: { ...limits, runsAtOnce: 0 },
    clock,
  });
  const { id } = await begin(first, requestOf("QUESTION"));
  clock.advance(60_000);
  const second = createRuns({ store, model: new ScriptedModel([() => never]), limits, clock });
  await second.recover(await second.listUnfinished());
  await hasEvent(store, id, "chain.started");
  await takenUp(store, clock, id);
  clock.advance(4_999);
  await new Promise(setImmediate);
  assert.equal((await store.getRun({ owner, id }))?.status, "in_progress");
  clock.advance(1);
  await runIn(store, id, "expired");
  await store.close();
});
