import assert from "node:assert/strict";
import { everyStore } from "../testing/every-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  owner,
} from "../testing/store-fixtures.ts";

/** An id that is longer than an index entry and cannot be compressed. */
function longId(begin: string): string {
  let text = begin;
  for (let n = 1; text.length < 20_000; n++) text += Math.sin(n).toString(36).slice(3);
  return text;
}

// Contract: durability-33
everyStore("ids of calls and items can be kilobytes long", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const [callId, other, itemId] = ["call_", "other_", "item_"].map(longId) as [
      string,
      string,
      string,
    ];
    for (const id of [callId, other]) {
      const call = callRecord(id, { owner: "client", status: "waiting" });
      await commit(store, "r", [{ type: "call", call }]);
      await commit(store, "r", [{ type: "call", call: { ...call, repairs: ["once more"] } }]);
    }
    const approval = { ...approvalRequest("a"), callId };
    await commit(store, "r", [event({ type: "approval.requested", callId, approval })]);
    const outputs = [{ callId, output: "rain" }];
    await store.write([
      { type: "submit-outputs", owner, runId: "r", outputs },
      {
        type: "save-items",
        runId: "r",
        direction: "output",
        items: [{ id: itemId, callId, item: { id: itemId } }],
      },
    ]);
    const calls = (await store.readCalls({ owner, runId: "r" })) ?? [];
    assert.deepEqual(
      calls.map(({ call }) => [call.callId, call.repairs]),
      [callId, other].map((id) => [id, ["once more"]]),
    );
    assert.equal((await store.getApproval({ owner, id: "a" }))?.callId, callId);
    assert.deepEqual(await store.listOutputs({ owner, runId: "r" }), outputs);
    assert.equal((await store.findRun({ owner, callId }))?.id, "r");
    assert.equal((await store.findRun({ owner, itemId }))?.id, "r");
    assert.equal((await store.getItem({ owner, id: itemId }))?.id, itemId);
    assert.equal((await store.listItems({ owner, runId: "r" }))?.[0]?.id, itemId);
    assert.equal(await store.findRun({ owner, callId: `${callId}x` }), undefined);
  });
});
