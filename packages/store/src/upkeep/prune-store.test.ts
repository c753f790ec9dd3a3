import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../sqlite/open-store.ts";
import { commit, createRun, owner, resultOf, withDataDir } from "../testing/store-fixtures.ts";
import { dayMs } from "./retention-rules.ts";
import { planStorePrune, pruneStore, readUsage } from "./prune-store.ts";

test("other commands read usage and a plan next to a server, and prune once it has stopped", async () => {
  await withDataDir(async (dataDir) => {
    let now = Date.now() - 90 * dayMs;
    const clock = { now: () => now, monotonic: () => now, after: () => () => {} };
    const store = await openStore({ dataDir, durability: "process", clock });
    await createRun(store, { id: "old" });
    await commit(store, "old", [resultOf("completed")]);
    now = Date.now();
    await createRun(store, { id: "young" });
    await commit(store, "young", [resultOf("completed")]);
    const place = { dataDir };
    const retention = { days: 30 };
    const before = await readUsage(place);
    assert.deepEqual(before.users, await store.everyUsage());
    const [planned] = await planStorePrune(place, retention);
    assert.deepEqual([planned?.owner, planned?.runs], [owner, 1]);
    await assert.rejects(pruneStore(place, retention), { code: "data_directory_locked" });
    await store.close();
    const pruned = await pruneStore(place, retention);
    assert.deepEqual(pruned, [planned]);
    const after = await readUsage(place);
    assert.equal(after.users[0]?.bytes, (before.users[0]?.bytes ?? 0) - (planned?.bytes ?? 0));
    assert.equal(after.users[0]?.runs, 1);
  });
});
