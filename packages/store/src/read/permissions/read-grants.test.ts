import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { commit, createRun, grantOf, owner, intact } from "../../testing/store-fixtures.ts";

everyStore(
  "lists grants of the session and of every session that are neither revoked nor expired",
  async (withStore) => {
    await withStore(async (store, clock) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [
        { type: "grant", grant: grantOf("session") },
        { type: "grant", grant: grantOf("always", { scope: "always", createdAt: 2 }) },
        { type: "grant", grant: grantOf("short", { createdAt: 3, expiresAt: 2_000 }) },
        { type: "grant", grant: grantOf("session") },
      ]);
      const ids = async (sessionId?: string) =>
        intact(
          await store.listGrants({ owner, ...(sessionId === undefined ? {} : { sessionId }) }),
        ).data.map((each) => each.grant.id);
      assert.deepEqual(await ids("r"), ["short", "always", "session"]);
      assert.deepEqual(await ids("elsewhere"), ["always"]);
      const begunWith = async (sessionId: string, of = owner) =>
        (await store.readGrants({ owner: of, sessionId })).map((grant) => grant.id);
      assert.deepEqual(await begunWith("r"), ["session", "always", "short"]);
      assert.deepEqual(await begunWith("elsewhere"), ["always"]);
      assert.deepEqual(await begunWith("r", "other"), []);
      clock.set(2_000);
      assert.deepEqual(await ids(), ["always", "session"]);
      const [foreign] = await store.write([{ type: "revoke-grant", owner: "other", id: "always" }]);
      assert.equal(foreign.status, "not_found");
      const [revoked] = await store.write([{ type: "revoke-grant", owner, id: "always" }]);
      const [again] = await store.write([{ type: "revoke-grant", owner, id: "always" }]);
      assert.equal(revoked.status, "revoked");
      assert.deepEqual(again, { ...revoked, again: true }, "the first revocation is final");
      assert.deepEqual(await ids(), ["session"]);
      assert.deepEqual(await begunWith("r"), ["session"], "neither expired nor revoked");
    });
  },
);
