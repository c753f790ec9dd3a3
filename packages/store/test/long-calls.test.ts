import assert from "node:assert/strict";
import { everyStore } from "../src/testing/every-store.ts";
import { callRecord, commit, createRun, owner, resultOf } from "../src/testing/store-fixtures.ts";

everyStore("calls with long arguments are read back as they were written", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const text = `"${"🙂\n".repeat(200_000)}`;
    const proposed = callRecord("c", { args: { text, list: [text, "short"] } });
    await commit(store, "r", [
      { type: "message", round: 1, message: { role: "user", content: text } },
      { type: "call", call: proposed },
    ]);
    const started = { ...proposed, status: "started", startedAt: 2 } as const;
    await commit(store, "r", [{ type: "call", call: started }, resultOf("completed")]);
    const calls = await store.readCalls({ owner, runId: "r" });
    assert.deepEqual(
      calls?.map(({ call }) => call),
      [started],
    );
    const messages = await store.readMessages({ owner, runId: "r" });
    assert.deepEqual(messages, [{ role: "user", content: text }]);
    assert.equal(await store.readCalls({ owner: "another", runId: "r" }), undefined);
  });
});
