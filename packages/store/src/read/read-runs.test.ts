import assert from "node:assert/strict";
import type { Store } from "../live/store.ts";
import { everyStore } from "../testing/every-store.ts";
import { commit, createRun, owner } from "../testing/store-fixtures.ts";

async function converse(store: Store, id: string, title = ""): Promise<void> {
  const [outcome] = await store.write([
    {
      type: "create-conversation",
      id,
      owner,
      title,
      metadata: {},
      switches: { groups: {}, tools: {} },
    },
  ]);
  assert.equal(outcome.status, "created");
}

everyStore(
  "lists the runs of a conversation and a run's children and ancestors",
  async (withStore) => {
    await withStore(async (store) => {
      await converse(store, "c");
      await createRun(store, { id: "r1", conversationId: "c" });
      await commit(store, "r1", [
        { type: "message", round: 1, message: { role: "assistant", content: "one" } },
      ]);
      await createRun(store, { id: "r2", conversationId: "c", parentId: "r1" });
      await createRun(store, { id: "fork", parentId: "r1" });
      await createRun(store, { id: "r3", conversationId: "c", parentId: "r2" });
      assert.deepEqual(
        (await store.listRuns({ owner, conversationId: "c" })).data.map(({ id }) => id),
        ["r1", "r2", "r3"],
      );
      const second = await store.listRuns({ owner, conversationId: "c", after: "r1", limit: 1 });
      assert.deepEqual([second.hasMore, second.data.map(({ id }) => id)], [true, ["r2"]]);
      assert.deepEqual(
        (await store.listChildren({ owner, runId: "r1" })).map(({ id }) => id),
        ["r2", "fork"],
      );
      const line = (await store.ancestors({ owner, runId: "r3" })) ?? [];
      assert.deepEqual(
        line.map(({ run, messages }) => [run.id, run.sessionId, messages.length]),
        [
          ["r1", "r1", 1],
          ["r2", "r1", 0],
          ["r3", "r1", 0],
        ],
      );
      assert.deepEqual(
        (await store.everyRunIn({ status: "in_progress" })).map(({ id }) => id),
        ["r1", "r2", "fork", "r3"],
      );
    });
  },
);
