import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionApprovalView } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { approvalRequest, commit, createRun } from "@capstan/store/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

/**
 * Creates an app with pending approvals, and a function that reads pages of their list.
 *
 * @param times the creation time of each approval by its id: `k…` for a stored run, `p…` for an
 * unstored one
 */
async function asked(times: { readonly [id: string]: number }) {
  const stores = { k: openMemoryStore(), p: openMemoryStore() };
  for (const store of Object.values(stores)) await createRun(store, { id: "r" });
  for (const [id, createdAt] of Object.entries(times)) {
    const approval = { ...approvalRequest(id), createdAt };
    const event = { type: "approval.requested", callId: approval.callId, approval } as const;
    await commit(id.startsWith("k") ? stores.k : stores.p, "r", [{ type: "event", event }]);
  }
  const { call } = createTestApp({
    model: new ScriptedModel([]),
    store: stores.k,
    memory: stores.p,
  });
  const page = async (query: string) => {
    const { status, body } = await call("GET", `/v1/approvals?${query}`);
    assert.equal(status, 200);
    return body as typeof body & { readonly has_more: boolean; readonly last_id: string | null };
  };
  return { call, page };
}

test("pages list each pending approval of stored and unstored runs once, newest first", async () => {
  const times = { k1: 1, p1: 1, k2: 2, p2: 3, k3: 4, k4: 4, p3: 4, k5: 5 };
  const { page } = await asked(times);
  // Creates the records in this order in each store, even within one millisecond.
  const newestFirst = ["k5", "k4", "p3", "k3", "p2", "k2", "p1", "k1"];
  for (const limit of [1, 2, 3, 7, 8, 100]) {
    const ids: string[] = [];
    let after = "";
    for (let more = true; more;) {
      const { data, has_more, last_id } = await page(`status=pending&limit=${limit}${after}`);
      assert.ok(data.length <= limit);
      ids.push(...data.map(({ id }) => id));
      more = has_more;
      after = `&after=${last_id}`;
      assert.equal(more, ids.length < newestFirst.length);
    }
    assert.deepEqual(ids, newestFirst, `${limit} a page`);
  }
});

test("rejects a page cursor that names an unknown approval", async () => {
  const { call } = await asked({ k1: 1 });
  const { status, body } = await call("GET", "/v1/approvals?after=appr_none");
  assert.deepEqual([status, body.error?.param], [400, "after"]);
});

test("50,000 marked characters are shown without blocking other requests", async () => {
  const store = openMemoryStore();
  await createRun(store, { id: "r" });
  const approval = { ...approvalRequest("k1"), args: { text: "@é".repeat(24_000) } };
  const event = { type: "approval.requested", callId: approval.callId, approval } as const;
  await commit(store, "r", [{ type: "event", event }]);
  const { call } = createTestApp({ model: new ScriptedModel([]), store });
  let longestMs = 0;
  let from = performance.now();
  const watch = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - from);
    from = performance.now();
  }, 1);
  const began = performance.now();
  const { body } = await call("GET", "/v1/approvals/k1");
  const tookMs = performance.now() - began;
  await new Promise(setImmediate);
  longestMs = Math.max(longestMs, performance.now() - from);
  clearInterval(watch);
  const { shown } = body as unknown as ExecutionApprovalView;
  assert.equal(shown?.arguments[0]?.value.length, 48_000);
  assert.ok(longestMs < tookMs / 2, `a turn of ${longestMs} ms of ${tookMs} ms`);
});
