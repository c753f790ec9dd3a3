import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  grantOf,
  owner,
  resultOf,
} from "../../testing/store-fixtures.ts";
import { everyStore } from "../../testing/every-store.ts";

async function ask(store: Store, runId: string, id: string, expiresAt?: number): Promise<void> {
  const approval = approvalRequest(id, expiresAt);
  await commit(store, runId, [
    event({ type: "approval.requested", callId: approval.callId, approval }),
  ]);
}

const answer = (id: string, decision: "allow" | "refuse") =>
  ({ type: "answer-approval", owner, id, answer: { decision } }) as const;

everyStore(
  "the first answer wins; a second one gets the outcome of the first",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await ask(store, "r", "a");
      const [[first], [second]] = await Promise.all([
        store.write([answer("a", "allow")]),
        store.write([answer("a", "refuse")]),
      ]);
      assert.equal(first.status, "answered");
      assert.equal(second.status, "already_answered");
      assert.equal(second.approval.status, "allowed");
      assert.deepEqual(second.approval, first.approval);
      assert.deepEqual(await store.getApproval({ owner, id: "a" }), first.approval);
    });
  },
);

everyStore("another owner can neither answer nor see it", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "r", "a");
    const [outcome] = await store.write([{ ...answer("a", "allow"), owner: "other" }]);
    assert.equal(outcome.status, "not_found");
    assert.equal(await store.getApproval({ owner: "other", id: "a" }), undefined);
    assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "pending");
  });
});

everyStore(
  "an answer is valid until its request expires, and each expired request is reported once",
  async (withStore) => {
    await withStore(async (store, clock) => {
      await createRun(store, { id: "r" });
      await ask(store, "r", "soon", 2_000);
      await ask(store, "r", "later", 5_000);
      await ask(store, "r", "last", 6_000);
      const open = async () => (await store.everyPendingApproval()).map(({ id }) => id);
      assert.deepEqual(await open(), ["soon", "later", "last"]);
      clock.set(2_000);
      const [expired] = await store.write([{ type: "expire-approvals" }]);
      assert.deepEqual(
        expired.status === "expired" && expired.approvals.map(({ id, status }) => [id, status]),
        [["soon", "expired"]],
      );
      const [again] = await store.write([{ type: "expire-approvals" }]);
      assert.deepEqual(again, { status: "expired", approvals: [], ready: [] });
      const [late] = await store.write([answer("soon", "allow")]);
      assert.equal(late.status === "already_answered" && late.approval.status, "expired");
      clock.set(7_000);
      const [given] = await store.write([{ type: "expire-approvals", ids: ["later", "soon"] }]);
      assert.deepEqual(given.status === "expired" && given.approvals.map(({ id }) => id), [
        "later",
      ]);
      assert.deepEqual(await open(), ["last"]);
      const [counts] = await store.write([answer("last", "allow")]);
      assert.equal(counts.status, "answered");
    });
  },
);

everyStore(
  "deletes expired grants together with expired requests, and no other grants",
  async (withStore) => {
    await withStore(async (store, clock) => {
      for (const [id, expiresAt] of [
        ["over", 2_000],
        ["later", 2_001],
        ["never", undefined],
      ] as const) {
        const grant = grantOf(id, expiresAt === undefined ? {} : { expiresAt });
        await store.write([{ type: "create-grant", owner, sessionId: null, grant }]);
      }
      clock.set(2_000);
      await store.write([{ type: "expire-approvals" }]);
      const grants = await Promise.all(
        ["over", "later", "never"].map((id) => store.getGrant({ owner, id })),
      );
      assert.deepEqual(
        grants.map((record) => record?.grant.id),
        [undefined, "later", "never"],
      );
    });
  },
);

everyStore(
  "a run that ends closes its approval requests, unless it passes them to the next run",
  async (withStore) => {
    const expected = [
      ["completed", "pending"],
      ["aborted", "cancelled"],
      ["error", "cancelled"],
      ["timeout", "expired"],
    ] as const;
    for (const [status, left] of expected) {
      await withStore(async (store) => {
        await createRun(store, { id: "r" });
        await ask(store, "r", "a");
        await commit(store, "r", [resultOf(status)]);
        assert.equal((await store.getApproval({ owner, id: "a" }))?.status, left, status);
      });
    }
  },
);

everyStore("the approval request of a stopped call is closed", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await ask(store, "r", "a");
    const { args: _args, ...approval } = approvalRequest("a");
    await commit(store, "r", [
      { type: "call", call: callRecord("call_a", { status: "waiting", approval }) },
    ]);
    assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "pending");
    await commit(store, "r", [
      { type: "call", call: callRecord("call_a", { status: "cancelled", approval }) },
    ]);
    assert.equal((await store.getApproval({ owner, id: "a" }))?.status, "cancelled");
  });
});

everyStore(
  "stores an answer that the loop received elsewhere, with its reason",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await ask(store, "r", "a");
      const decision = { verdict: "refused", by: "person", reason: "no" } as const;
      await commit(store, "r", [
        event({ type: "approval.answered", callId: "call_a", approvalId: "a", at: 3, decision }),
      ]);
      const approval = await store.getApproval({ owner, id: "a" });
      assert.deepEqual(
        [approval?.status, approval?.answer],
        ["refused", { decision: "refuse", reason: "no" }],
      );
    });
  },
);

everyStore(
  "approvals are listed newest first, by page, status, conversation and run",
  async (withStore) => {
    await withStore(async (store) => {
      await store.write([
        {
          type: "create-conversation",
          id: "c",
          owner,
          title: "",
          metadata: {},
          switches: { groups: {}, tools: {} },
        },
      ]);
      await createRun(store, { id: "r", conversationId: "c" });
      await createRun(store, { id: "s" });
      for (const id of ["a1", "a2", "a3"]) await ask(store, "r", id);
      await ask(store, "s", "b");
      await store.write([answer("a2", "refuse")]);
      const ids = async (query: Omit<Parameters<Store["listApprovals"]>[0], "owner">) => {
        const page = await store.listApprovals({ owner, ...query });
        return [page.data.map(({ id }) => id), page.hasMore];
      };
      assert.deepEqual(await ids({}), [["b", "a3", "a2", "a1"], false]);
      assert.deepEqual(await ids({ limit: 2 }), [["b", "a3"], true]);
      const after = await store.getApproval({ owner, id: "a3" });
      assert.ok(after !== undefined);
      assert.deepEqual(await ids({ limit: 2, after }), [["a2", "a1"], false]);
      assert.deepEqual(await ids({ status: "pending", conversationId: "c" }), [
        ["a3", "a1"],
        false,
      ]);
      assert.deepEqual(await ids({ runId: "s" }), [["b"], false]);
      assert.deepEqual((await store.listApprovals({ owner: "other" })).data, []);
    });
  },
);
