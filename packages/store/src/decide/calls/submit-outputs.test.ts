import assert from "node:assert/strict";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  owner,
  variableOf,
} from "../../testing/store-fixtures.ts";

const switches = { groups: {}, tools: {} };

/**
 * The owner's run in a conversation, with an open approval request, a client's call, a server's
 * call and a variable.
 */
async function createAll(store: Store): Promise<void> {
  await store.write([
    { type: "create-conversation", id: "c", owner, title: "mine", metadata: {}, switches },
  ]);
  await createRun(store, { id: "r", conversationId: "c" });
  const approval = approvalRequest("a", Date.now() + 60_000);
  await commit(store, "r", [
    { type: "call", call: callRecord("own", { owner: "client", status: "waiting" }) },
    { type: "call", call: callRecord("ours", { status: "started" }) },
    { type: "variable", change: { type: "set", variable: variableOf("v", "kept") } },
    event({ type: "approval.requested", callId: approval.callId, approval }),
  ]);
}

// Contract: durability-75
everyStore(
  "an output for a call that does not wait for one is rejected with the reason, and no output of the request is stored",
  async (withStore) => {
    await withStore(async (store) => {
      await createAll(store);
      const refusals = [
        ["none", /made no call none/],
        ["ours", /run by the server/],
      ] as const;
      for (const [callId, reason] of refusals) {
        const outputs = [
          { callId: "own", output: "good" },
          { callId, output: "x" },
        ];
        const [outcome] = await store.write([
          { type: "submit-outputs", owner, runId: "r", outputs },
        ]);
        assert.ok(outcome.status === "refused");
        assert.match(outcome.reason, reason);
        assert.deepEqual(await store.listOutputs({ owner, runId: "r" }), []);
      }
      const outputs = [{ callId: "own", output: "good" }];
      const [taken] = await store.write([{ type: "submit-outputs", owner, runId: "r", outputs }]);
      assert.deepEqual(taken, { status: "submitted", taken: ["own"] });
      const [second] = await store.write([
        { type: "submit-outputs", owner, runId: "r", outputs: [{ callId: "own", output: "more" }] },
      ]);
      assert.ok(second.status === "refused" && /first one applies/.test(second.reason));
      assert.deepEqual(await store.listOutputs({ owner, runId: "r" }), outputs);
    });
  },
);
