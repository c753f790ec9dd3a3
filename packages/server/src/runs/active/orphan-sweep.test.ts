import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import type { RunRef, Store, StoreWrite } from "@capstan/store";
import { findPostgres, owner, withTwoNodes } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { OrphanSweep } from "./orphan-sweep.ts";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

/** The first commit of this kind is done, and its answer is lost on the way. */
function losing(store: Store, type: StoreWrite["type"]): Store {
  let isLost = false;
  return {
    ...store,
    write: async (writes) => {
      const outcomes = await store.write(writes);
      if (isLost || !writes.some((write) => write.type === type)) return outcomes;
      isLost = true;
      throw new Error("the connection was lost");
    },
  };
}

const ownRuns = (store: Store) => store.everyRunOf({ node: store.nodes?.self ?? "" });

test(
  "a run that was made without this node hearing of it is found and goes on",
  { skip },
  async () => {
    await withTwoNodes(async (store) => {
      const clock = new FakeClock(0);
      const model = new ScriptedModel(["done"]);
      const runs = createRuns({ store: losing(store, "create-run"), model, clock });
      await assert.rejects(begin(runs, requestOf("go")), /connection was lost/);
      const [run] = await ownRuns(store);
      assert.ok(run !== undefined);
      for (const _ of [1, 2]) {
        await runs.sweep();
        assert.equal(
          (await store.getRun({ owner, id: run.id }))?.epoch,
          1,
          "not at the first look",
        );
      }
      clock.advance(5_000);
      await runs.sweep();
      await runIn(store, run.id, "completed");
    });
  },
);

test("so is one that was claimed without this node hearing of it", { skip }, async () => {
  await withTwoNodes(async (store) => {
    const clock = new FakeClock(0);
    const common = { clock, model: new ScriptedModel(["done"]) };
    const full = { ...defaultServerLimits, runsAtOnce: 0 };
    const { id } = await begin(createRuns({ ...common, store, limits: full }), requestOf("go"));
    const runs = createRuns({ ...common, store: losing(store, "claim-run") });
    await runs.recover(await runs.listUnfinished());
    assert.deepEqual(
      (await ownRuns(store)).map((run) => run.id),
      [id],
    );
    await runs.sweep();
    clock.advance(5_000);
    await runs.sweep();
    await runIn(store, id, "completed");
  });
});

test("what goes on here, or is about to, is left alone", { skip }, async () => {
  await withTwoNodes(async (store) => {
    const clock = new FakeClock(0);
    const hold = Promise.withResolvers<string>();
    const model = new ScriptedModel([() => hold.promise]);
    const runs = createRuns({ store, model, clock });
    const { id } = await begin(runs, requestOf("go"));
    for (const _ of [1, 2, 3]) {
      await runs.sweep();
      clock.advance(5_000);
    }
    assert.equal((await store.getRun({ owner, id }))?.epoch, 1);
    hold.resolve("done");
    await runIn(store, id, "completed");
  });
});

/** Looks at one run in this node's name, at hand of a node that says whether it holds it. */
function lookingAt(run: RunRef) {
  const held = new Set<string>();
  const clock = { now: 0 };
  const reading = { ends: () => {} };
  const stranded = new OrphanSweep({
    store: {
      nodes: { self: "node" },
      everyRunOf: async () => {
        reading.ends();
        return [run];
      },
    },
    isInUse: (id) => held.has(id),
    now: () => clock.now,
  });
  return { held, clock, reading, look: () => stranded.findOrphans() };
}

const going: RunRef = { id: "r", owner, status: "in_progress", epoch: 1 };

test("a run that was about to begin at one look, and stops during the next one, is left alone", async () => {
  const { held, clock, reading, look } = lookingAt(going);
  assert.deepEqual(await look(), []);
  held.add("r");
  reading.ends = () => held.delete("r");
  clock.now += 5_000;
  assert.deepEqual(await look(), []);
});

test("a clock that is set back does not keep it from looking", async () => {
  const { clock, look } = lookingAt(going);
  clock.now = 3_600_000;
  assert.deepEqual(await look(), []);
  clock.now = 0;
  assert.deepEqual(await look(), [], "nobody knows how long ago the last one was");
  clock.now = 5_000;
  assert.deepEqual(await look(), [going]);
});
