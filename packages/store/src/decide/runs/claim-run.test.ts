import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { createRun } from "../../testing/store-fixtures.ts";

everyStore("only one of two claims from the same epoch succeeds", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r", status: "queued" });
    const claims = await Promise.all(
      [1, 2].map(() => store.write([{ type: "claim-run", runId: "r", epoch: 0 }])),
    );
    assert.deepEqual(
      claims.map(([claim]) => claim?.status),
      ["claimed", "refused"],
    );
  });
});
