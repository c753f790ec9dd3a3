import assert from "node:assert/strict";
import { everyStore } from "../testing/every-store.ts";
import { commit, createRun, owner, resultOf } from "../testing/store-fixtures.ts";
import type { Usage } from "@capstan/core";

const endWith = (usage: Usage, inheritedUsage?: Usage) => {
  const { type, result } = resultOf("completed");
  return [
    { type, result: { ...result, usage, ...(inheritedUsage && { inheritedUsage }) } },
  ] as const;
};

everyStore("tokens are counted by day and model, once each, for their owner", async (withStore) => {
  await withStore(async (store) => {
    const all = { owners: [owner], since: 0, utcOffsetMs: 0 };
    await createRun(store, { id: "a", model: "x/one" });
    await commit(store, "a", endWith({ inputTokens: 100, cachedInputTokens: 40, outputTokens: 7 }));
    // It took over a turn, whose tokens were counted before.
    await createRun(store, { id: "b", model: "x/one" });
    const inherited = { inputTokens: 100, outputTokens: 7 };
    await commit(store, "b", endWith({ inputTokens: 150, outputTokens: 9 }, inherited));
    await createRun(store, { id: "c", model: "x/two" });
    await commit(store, "c", endWith({ inputTokens: 1, outputTokens: 0 }));
    await createRun(store, { id: "none", model: "x/three" });
    await commit(store, "none", endWith({ inputTokens: 0, outputTokens: 0 }));
    await createRun(store, { id: "other", owner: "bob", model: "x/one" });
    await commit(store, "other", endWith({ inputTokens: 5, outputTokens: 5 }));
    const rows = (await store.readTokenUsage(all)).map(({ day: _day, ...row }) => row);
    assert.deepEqual(rows, [
      { model: "x/one", runs: 2, inputTokens: 150, cachedTokens: 40, outputTokens: 9 },
      { model: "x/two", runs: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 0 },
    ]);
    const [both] = await store.readTokenUsage({ ...all, owners: [owner, "bob"] });
    assert.deepEqual([both?.runs, both?.inputTokens], [3, 155]);
    const [row] = await store.readTokenUsage({ ...all, utcOffsetMs: 86_400_000 });
    const [today] = await store.readTokenUsage(all);
    assert.equal(Number(row?.day), Number(today?.day) + 1);
    assert.deepEqual(await store.readTokenUsage({ ...all, since: Date.now() * 2 }), []);
    await store.write([{ type: "delete-run", owner, id: "c" }]);
    assert.equal((await store.readTokenUsage(all)).length, 1);
  });
});
