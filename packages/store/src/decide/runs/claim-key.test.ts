import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../live/store.ts";
import type { RequestKey } from "../../records/store-writes.ts";
import { everyStore, withTwoNodes } from "../../testing/every-store.ts";
import { findPostgres } from "../../testing/postgres-server.ts";
import { storedOutcomes } from "./claim-key.ts";
import { commit, newRun, owner, resultOf } from "../../testing/store-fixtures.ts";

const key = { id: "key_1", digest: "d", ttlMs: 1_000 };

async function createWith(store: Store, id: string, given: RequestKey): Promise<string> {
  const outcomes = await store.write([
    { type: "create-run", run: newRun({ id }) },
    { type: "claim-key", owner, key: given, resourceId: id },
  ]);
  return outcomes[1].status;
}

// Contract: durability-3
everyStore("only one of several requests with the same key creates its run", async (withStore) => {
  await withStore(async (store, clock) => {
    const ids = ["a", "b", "c"];
    const outcomes = await Promise.all(ids.map((id) => createWith(store, id, key)));
    assert.deepEqual(outcomes, ["claimed_key", "known", "known"]);
    const runs = await Promise.all(ids.map((id) => store.getRun({ owner, id })));
    assert.deepEqual(
      runs.map((run) => run?.id),
      ["a", undefined, undefined],
    );
    const known = { digest: "d", resourceId: "a", response: null };
    assert.deepEqual(await store.getRequestKey({ owner, id: key.id }), known);
    assert.equal(await store.getRequestKey({ owner: "another", id: key.id }), undefined);

    // A key can be taken over only from the run that holds it.
    assert.equal(await createWith(store, "d", { ...key, replaces: "z" }), "known");
    assert.equal(await createWith(store, "e", { ...key, replaces: "a" }), "claimed_key");
    assert.equal(await createWith(store, "f", { ...key, replaces: "any" }), "claimed_key");

    clock.set(clock.now() + key.ttlMs);
    assert.equal(await store.getRequestKey({ owner, id: key.id }), undefined);
    assert.equal(await createWith(store, "g", key), "claimed_key");
    await commit(store, "g", [resultOf("completed")]);
    await store.write([{ type: "delete-run", owner, id: "g" }]);
    assert.equal(await store.getRequestKey({ owner, id: key.id }), undefined);
  });
});

everyStore("a key stores the outcomes of the writes of its commit", async (withStore) => {
  await withStore(async (store) => {
    const change = { tool: "g.*", change: { execution: "deny" } } as const;
    const write = () =>
      store.write([
        { type: "change-override", owner, ...change },
        { type: "claim-key", owner, key, storesOutcomes: true },
      ]);
    const [outcome, claimed] = await write();
    assert.equal(claimed.status, "claimed_key");
    const known = await store.getRequestKey({ owner, id: key.id });
    assert.equal(known?.resourceId, storedOutcomes);
    assert.deepEqual(JSON.parse(known?.response ?? ""), JSON.parse(JSON.stringify([outcome])));
    assert.deepEqual(
      (await write()).map(({ status }) => status),
      ["skipped", "known"],
    );
    const answer = { ...key, replaces: storedOutcomes };
    await store.write([{ type: "claim-key", owner, key: answer, response: "{}" }]);
    const answered = { digest: "d", resourceId: null, response: "{}" };
    assert.deepEqual(await store.getRequestKey({ owner, id: key.id }), answered);
  });
});

const postgres = findPostgres();

test(
  "only one of several requests with the same key at two nodes creates its run",
  { skip: postgres.status === "missing" && postgres.reason },
  () =>
    withTwoNodes(async (one, other) => {
      for (let round = 0; round < 20; round++) {
        const given = { ...key, id: `key_${round}` };
        const ids = [`a${round}`, `b${round}`, `c${round}`, `d${round}`];
        const outcomes = await Promise.all(
          ids.map((id, at) => createWith(at % 2 === 0 ? one : other, id, given)),
        );
        const won = ids.filter((_, at) => outcomes[at] === "claimed_key");
        assert.equal(won.length, 1, outcomes.join());
        const found = await other.getRequestKey({ owner, id: given.id });
        assert.equal(found?.resourceId, won[0]);
      }
    }),
);
