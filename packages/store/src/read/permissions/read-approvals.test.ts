import assert from "node:assert/strict";
import { everyStore } from "../../testing/every-store.ts";
import { approvalRequest, commit, createRun, event, owner } from "../../testing/store-fixtures.ts";

everyStore("a page of approvals ends before their requests exceed its bytes", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "run" });
    const lengths = [10, 10, 50_000, 200_000, 50_000];
    for (const [index, length] of lengths.entries()) {
      const approval = { ...approvalRequest(`a${index}`), args: { text: "x".repeat(length) } };
      await commit(store, "run", [
        event({ type: "approval.requested", callId: approval.callId, approval }),
      ]);
    }
    const page = async (after?: string) => {
      const place =
        after === undefined ? undefined : await store.findApprovalCursor({ owner, id: after });
      const more = place === undefined ? {} : { after: place };
      const { data, hasMore } = await store.listApprovals({ owner, maxBytes: 100_000, ...more });
      return { ids: data.map(({ id }) => id), hasMore };
    };
    assert.deepEqual(await page(), { ids: ["a4"], hasMore: true });
    // An entry that is too large has a page of its own.
    assert.deepEqual(await page("a4"), { ids: ["a3"], hasMore: true });
    assert.deepEqual(await page("a3"), { ids: ["a2", "a1", "a0"], hasMore: false });
    assert.deepEqual(await page("a0"), { ids: [], hasMore: false });
  });
});
