import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";

const key = { connection: "tickets", owner: "ann", field: "credential" };
const saved = { type: "save-credential", key, state: "ready", expiresAt: null } as const;

everyStore("connections are added once, changed, and deleted with their credentials", (withStore) =>
  withStore(async (store) => {
    const write = { type: "save-connection", name: "tickets", by: "ann", isNew: true } as const;
    const [made] = await store.write([{ ...write, settings: { url: "https://a.example" } }]);
    assert.equal(made.status, "saved_connection");
    const [again] = await store.write([{ ...write, settings: {} }]);
    assert.equal(again.status, "refused");
    const change = { ...write, isNew: false, by: "ben" };
    await store.write([{ ...change, settings: { url: "https://b.example" } }]);
    assert.deepEqual(
      (await store.everyConnection()).map((one) => "name" in one && [one.createdBy, one.settings]),
      [["ann", { url: "https://b.example" }]],
    );
    const [unknown] = await store.write([{ ...change, name: "other", settings: {} }]);
    assert.equal(unknown.status, "not_found");
    await store.write([{ ...saved, sealed: "x" }]);
    const [removed] = await store.write([{ type: "delete-connection", name: "tickets" }]);
    assert.equal(removed.status, "removed");
    assert.equal(await store.getCredential(key), undefined);
    assert.deepEqual(await store.everyConnection(), []);
  }),
);

everyStore("a credential belongs to its owner, and changes only from its revision", (withStore) =>
  withStore(async (store) => {
    const [first] = await store.write([{ ...saved, sealed: "one" }]);
    assert.equal(first.status, "saved_credential");
    const { revision } = first;
    assert.equal(await store.getCredential({ ...key, owner: "ben" }), undefined);
    const [stale] = await store.write([{ ...saved, sealed: "two", ifRevision: revision - 1 }]);
    assert.equal(stale.status, "stale");
    const [next] = await store.write([{ ...saved, sealed: "two", ifRevision: revision }]);
    assert.equal(next.status, "saved_credential");
    assert.ok(next.revision > revision);
    assert.equal((await store.getCredential(key))?.sealed, "two");
    const [gone, twice] = await Promise.all([
      store.write([{ type: "delete-credential", key }]),
      store.write([{ type: "delete-credential", key }]),
    ]);
    assert.deepEqual([gone[0].status, twice[0].status].sort(), ["not_found", "removed"]);
  }),
);

everyStore("one holder at a time refreshes a credential, until its time is over", (withStore) =>
  withStore(async (store, clock) => {
    const [made] = await store.write([{ ...saved, sealed: "one" }]);
    assert.equal(made.status, "saved_credential");
    const { revision } = made;
    const claim = async (holder: string, ms = 1_000, of = revision) => {
      const [outcome] = await store.write([
        { type: "claim-credential", key, revision: of, holder, ms },
      ]);
      return outcome.status;
    };
    assert.deepEqual(await Promise.all([claim("a"), claim("b")]), ["claimed_credential", "taken"]);
    assert.equal(await claim("b", 1_000, revision - 1), "stale");
    assert.equal(await claim("a", 0), "claimed_credential");
    assert.equal(await claim("b"), "claimed_credential");
    clock.set(clock.now() + 1_001);
    assert.equal(await claim("a"), "claimed_credential");
    await store.write([{ ...saved, sealed: "two", ifRevision: revision }]);
    assert.equal(await claim("b"), "stale");
  }),
);

everyStore("expired secrets are deleted when another one is stored", (withStore) =>
  withStore(async (store, clock) => {
    const short = { ...key, field: "sign-in" };
    await store.write([{ ...saved, key: short, sealed: "x", expiresAt: clock.now() + 10 }]);
    clock.set(clock.now() + 11);
    await store.write([{ ...saved, sealed: "y" }]);
    assert.deepEqual(
      (await store.everyCredential({})).map(({ field }) => field),
      ["credential"],
    );
  }),
);
