import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { commit, createRun, owner, resultOf } from "../../testing/store-fixtures.ts";

everyStore(
  "deletes no more commits without events per write than the limit allows",
  async (withStore) => {
    await withStore(async (store, clock) => {
      await createRun(store, { id: "r" });
      const message = { role: "user", content: "x".repeat(100) } as const;
      for (let round = 1; round <= 10; round++)
        await commit(store, "r", [{ type: "message", round, message }]);
      await commit(store, "r", [resultOf("completed")]);
      const start = { type: "session", id: "r" } as const;
      const before = clock.now() + 1;
      await store.write([{ type: "forget-lineage", owner, start, before }]);
      const bytes = async () =>
        (await store.everyUsage()).reduce((sum, user) => sum + user.bytes, 0);
      for (let more = true; more;) {
        const bytesBefore = await bytes();
        const [outcome] = await store.write([
          { type: "collect-forgotten", rows: 3, bytes: 100_000 },
        ]);
        assert.ok(outcome.status === "collected");
        assert.equal(bytesBefore - (await bytes()), outcome.bytes);
        ({ more } = outcome);
      }
    });
  },
);
