import assert from "node:assert/strict";
import type { JsonObject } from "@capstan/core";
import { callRecord, commit, createRun, grantOf, owner } from "../testing/store-fixtures.ts";
import { everyStore } from "../testing/every-store.ts";

everyStore(
  "items are listed in order, and found by id in the newest run that has them",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r1" });
      await createRun(store, { id: "r2" });
      const items = [
        { id: "i1", item: { n: 1 } },
        { id: "i2", item: { n: 2 } },
      ];
      await store.write([
        {
          type: "save-items",
          runId: "r1",
          direction: "output",
          items: [{ id: "o1", callId: "call_1", item: {} }],
        },
        { type: "save-items", runId: "r1", direction: "input", items },
        {
          type: "save-items",
          runId: "r2",
          direction: "input",
          items: [{ id: "i2", item: { n: 3 } }],
        },
      ]);
      const listed = (await store.listItems({ owner, runId: "r1" })) ?? [];
      assert.deepEqual(
        listed.map(({ id, direction }) => [id, direction]),
        [
          ["i1", "input"],
          ["i2", "input"],
          ["o1", "output"],
        ],
      );
      assert.equal((await store.listItems({ owner, runId: "r1", direction: "output" }))?.length, 1);
      assert.deepEqual((await store.getItem({ owner, id: "i2" }))?.item, { n: 3 });
      assert.equal((await store.findRun({ owner, itemId: "i2" }))?.id, "r2");
      assert.equal((await store.findRun({ owner, callId: "call_1" }))?.id, "r1");
      assert.equal(await store.findRun({ owner: "other", itemId: "i2" }), undefined);
      assert.equal(await store.getItem({ owner: "other", id: "i2" }), undefined);
    });
  },
);

everyStore("a call in the ledger leads to its run too", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [{ type: "call", call: callRecord("call_9", { owner: "client" }) }]);
    assert.equal((await store.findRun({ owner, callId: "call_9" }))?.id, "r");
    assert.equal(await store.findRun({ owner: "other", callId: "call_9" }), undefined);
  });
});

everyStore(
  "grants in force: of the session and of every session, neither revoked nor past their time",
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
        (
          await store.listGrants({ owner, ...(sessionId === undefined ? {} : { sessionId }) })
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
      assert.deepEqual(again, { ...revoked, again: true }, "the first time stands");
      assert.deepEqual(await ids(), ["session"]);
      assert.deepEqual(await begunWith("r"), ["session"], "neither short nor revoked");
    });
  },
);

everyStore("everything of a run reads as absent to another owner", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const other = { owner: "other", runId: "r" };
    assert.equal(await store.getRun({ owner: "other", id: "r" }), undefined);
    assert.equal(await store.ancestors(other), undefined);
    assert.equal(await store.readEvents(other), undefined);
    assert.equal(await store.readEventsCompact(other), undefined);
    assert.equal(await store.readMessages(other), undefined);
    assert.equal(await store.readCalls(other), undefined);
    assert.equal(await store.listItems(other), undefined);
    assert.deepEqual(await store.listChildren(other), []);
  });
});

everyStore(
  "a group's last calls are listed newest first, the owner's own alone",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r1" });
      await createRun(store, { id: "r2" });
      await createRun(store, { id: "theirs", owner: "other" });
      const callOf = (callId: string, toolId: string, args: JsonObject = {}) =>
        ({ type: "call", call: { ...callRecord(callId), toolId, args } }) as const;
      await commit(store, "r1", [callOf("a", "my_g.Look"), callOf("b", "myXg.Look")]);
      await commit(store, "r2", [
        callOf("c", "my_g.Look"),
        // What only looks like it, in an argument.
        callOf("d", "other.Look", { toolId: "my_g.Look" }),
      ]);
      await commit(store, "theirs", [callOf("e", "my_g.Look")]);
      const listed = async (limit: number) =>
        (await store.listCalls({ owner, group: "my_g", limit })).calls.map(
          ({ runId, call }) => `${runId} ${call.callId}`,
        );
      assert.deepEqual(await listed(10), ["r2 c", "r1 a"]);
      assert.deepEqual(await listed(1), ["r2 c"], "what only looks like it takes no place");
      const nothing = { calls: [], unreadable: [] };
      assert.deepEqual(
        await store.listCalls({ owner: "nobody", group: "my_g", limit: 10 }),
        nothing,
      );
    });
  },
);
