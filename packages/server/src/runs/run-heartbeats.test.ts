import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { RunEvent } from "@capstan/contract";
import { openMemoryStore, type Store } from "@capstan/store";
import { findPostgres, owner, withTwoNodes } from "@capstan/store/testing";
import type { RunService } from "./run-service.ts";
import { defaultServerLimits, type ServerLimits } from "./request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../testing/run-fixtures.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const never = new Promise<never>(() => {});
const hang = tool("Hang", () => never);
const hanging: ScriptedStep = { calls: [{ name: "Hang" }] };

function server(store: Store, steps: readonly ScriptedStep[], limits: Partial<ServerLimits> = {}) {
  return createRuns({
    store,
    model: new ScriptedModel(steps),
    tools: [hang, asking("Ask", () => "made")],
    limits: { ...defaultServerLimits, ...limits },
  });
}

const eventsOf = async (store: Store, runId: string): Promise<readonly RunEvent[]> =>
  (await store.readEvents({ owner, runId })) ?? [];

const signsIn = (events: readonly RunEvent[]) =>
  events.filter(({ type }) => type === "run.heartbeat").length;

async function hasEvent(store: Store, runId: string, wanted: RunEvent["type"]): Promise<void> {
  while (!(await eventsOf(store, runId)).some(({ type }) => type === wanted))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * The heartbeats of a run that each node reads. Both nodes read the same heartbeats, numbered from
 * 1.
 */
async function shown(one: Store, other: Store, runId: string): Promise<readonly RunEvent[]> {
  await Promise.all([one, other].map((store) => hasEvent(store, runId, "run.heartbeat")));
  const events = await eventsOf(one, runId);
  assert.deepEqual(await eventsOf(other, runId), events);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  return events;
}

async function stop(runs: RunService, id: string): Promise<void> {
  await runs.cancel({ owner, id });
  await runIn(runs.store, id, "cancelled");
}

// Contract: durability-50
test("readers at another node receive a run's heartbeats", options, async () => {
  await withTwoNodes(async (one, other) => {
    const holder = server(one, [hanging]);
    const { id } = await begin(holder, requestOf("go"));
    await hasEvent(one, id, "call.started");
    const watching = server(other, []);
    watching.heartbeat({ owner, id });
    await shown(one, other, id);
    // All readers request a heartbeat at about the same time.
    watching.heartbeat({ owner, id });
    holder.heartbeat({ owner, id });
    await stop(holder, id);
    assert.equal(signsIn(await eventsOf(other, id)), 1);
  });
});

// Contract: durability-50
test(
  "a run that was answered at another node sends its first reader a heartbeat",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const first = server(one, [{ calls: [{ name: "Ask" }] }]);
      const { id } = await begin(first, requestOf("go"));
      await runIn(one, id, "requires_action");
      const second = server(other, [hanging]);
      const { data } = await other.listApprovals({ owner, runId: id });
      await second.answer(owner, data[0]!.id, { decision: "allow" });
      await runIn(one, id, "in_progress");
      await hasEvent(other, id, "chain.resumed");
      first.heartbeat({ owner, id });
      await shown(one, other, id);
      await stop(second, id);
    });
  },
);

// Contract: durability-50
test("no other node writes heartbeats for a run whose node does not respond", options, async () => {
  await withTwoNodes(async (one, other) => {
    const deaf: Store = { ...one, nodes: { ...one.nodes!, subscribe: () => {} } };
    const holder = server(deaf, [hanging]);
    const { id } = await begin(holder, requestOf("go"));
    await hasEvent(one, id, "call.started");
    const asked = Promise.withResolvers<void>();
    one.nodes?.subscribe(({ type }) => type === "watched" && asked.resolve());
    server(other, []).heartbeat({ owner, id });
    await asked.promise;
    await stop(holder, id);
    assert.equal(signsIn(await eventsOf(other, id)), 0);
  });
});

// Contract: durability-51
test(
  "a queued run sends heartbeats at every node, which do not affect its start",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const full = server(one, [], { runsAtOnce: 0 });
      const { id } = await begin(full, requestOf("go"));
      full.heartbeat({ owner, id });
      await shown(one, other, id);
      const free = server(other, ["done"]);
      // A reader that requests one a moment later gets the same heartbeat.
      free.heartbeat({ owner, id });
      await free.sweep();
      await runIn(one, id, "completed");
      const events = await shown(one, other, id);
      assert.deepEqual(
        events.slice(0, 2).map(({ type }) => type),
        ["run.heartbeat", "chain.started"],
      );
    });
  },
);

test("a waiting run sends repeated heartbeats, one per interval for all readers", async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  const full = createRuns({
    store,
    model: new ScriptedModel([]),
    limits: { ...defaultServerLimits, runsAtOnce: 0, heartbeatMs: 1_000 },
    clock,
  });
  const { id } = await begin(full, requestOf("go"));
  const asked: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    full.heartbeat({ owner, id });
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    asked.push(signsIn(await eventsOf(store, id)));
    clock.advance(250);
  }
  assert.deepEqual(asked, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  await store.close();
});
