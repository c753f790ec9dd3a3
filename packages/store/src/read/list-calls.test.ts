import assert from "node:assert/strict";
import type { JsonObject } from "@capstan/core";
import { everyStore } from "../testing/every-store.ts";
import { callRecord, commit, createRun, owner } from "../testing/store-fixtures.ts";

everyStore("lists the owner's last calls of a group, newest first", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r1" });
    await createRun(store, { id: "r2" });
    await createRun(store, { id: "theirs", owner: "other" });
    const callOf = (callId: string, toolId: string, args: JsonObject = {}) =>
      ({ type: "call", call: { ...callRecord(callId), toolId, args } }) as const;
    await commit(store, "r1", [callOf("a", "my_g.Look"), callOf("b", "myXg.Look")]);
    await commit(store, "r2", [
      callOf("c", "my_g.Look"),
      // Only an argument looks like the group's tool.
      callOf("d", "other.Look", { toolId: "my_g.Look" }),
    ]);
    await commit(store, "theirs", [callOf("e", "my_g.Look")]);
    const listed = async (limit: number) =>
      (await store.listCalls({ owner, group: "my_g", limit })).calls.map(
        ({ runId, call }) => `${runId} ${call.callId}`,
      );
    assert.deepEqual(await listed(10), ["r2 c", "r1 a"]);
    assert.deepEqual(
      await listed(1),
      ["r2 c"],
      "ignores calls that only look like calls of the group",
    );
    const nothing = { calls: [], unreadable: [] };
    assert.deepEqual(await store.listCalls({ owner: "nobody", group: "my_g", limit: 10 }), nothing);
  });
});
