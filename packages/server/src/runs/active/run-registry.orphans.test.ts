import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import type { Store, StoreWrite } from "@capstan/store";
import { findPostgres, owner, withTwoNodes } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

/**
 * Returns a store whose first write of this kind commits but throws, as if its response were lost.
 */
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

// Contract: durability-40
test(
  "a run that was created without a message to this node is found and executed",
  { skip },
  async () => {
    await withTwoNodes(async (store) => {
      const clock = new FakeClock(0);
      const model = new ScriptedModel(["done"]);
      const runs = createRuns({ store: losing(store, "create-run"), model, clock });
      await assert.rejects(begin(runs, requestOf("go")), /connection was lost/);
      const [run] = await ownRuns(store);
      assert.ok(run !== undefined);
      await runs.sweep();
      await runIn(store, run.id, "completed");
    });
  },
);

// Contract: durability-40
test(
  "a run that was claimed without a message to this node is found and executed, too",
  { skip },
  async () => {
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
      await runIn(store, id, "completed");
    });
  },
);

// Contract: durability-40
test("does not claim runs as orphans that execute here or are about to", { skip }, async () => {
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

// Contract: durability-40
test(
  "does not claim a run as an orphan while this node's claim of it is in progress",
  { skip },
  async () => {
    await withTwoNodes(async (store) => {
      const committed = Promise.withResolvers<void>();
      const delivered = Promise.withResolvers<void>();
      const late: Store = {
        ...store,
        write: async (writes) => {
          const outcomes = await store.write(writes);
          if (writes[0]?.type !== "create-run") return outcomes;
          committed.resolve();
          await delivered.promise;
          return outcomes;
        },
      };
      const clock = new FakeClock(0);
      const runs = createRuns({ store: late, model: new ScriptedModel(["done"]), clock });
      const beginning = begin(runs, requestOf("go"));
      await committed.promise;
      const [run] = await ownRuns(store);
      await runs.sweep();
      delivered.resolve();
      await beginning;
      assert.equal((await runIn(store, run!.id, "completed")).epoch, 1);
    });
  },
);

// Contract: durability-40
test("finds orphans after the clock was set back", { skip }, async () => {
  await withTwoNodes(async (store) => {
    const clock = new FakeClock(3_600_000);
    const model = new ScriptedModel(["done"]);
    const losingRun = losing(store, "create-run");
    const runs = createRuns({ store: losingRun, model, clock });
    await runs.sweep();
    await assert.rejects(begin(runs, requestOf("go")), /connection was lost/);
    const [run] = await ownRuns(store);
    clock.set(-3_600_000);
    clock.advance(10_000);
    await runs.sweep();
    await runIn(store, run!.id, "completed");
  });
});
