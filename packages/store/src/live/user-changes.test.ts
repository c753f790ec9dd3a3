import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserChangeEvent } from "@capstan/contract";
import { everyStore, withTwoNodes } from "../testing/every-store.ts";
import { findPostgres } from "../testing/postgres-server.ts";
import {
  approvalRequest,
  commit,
  createRun,
  delta,
  event,
  owner,
  resultOf,
  start,
  stopsFor,
} from "../testing/store-fixtures.ts";
import type { Store } from "./store.ts";

/** Collects the changes of a store, and returns a function that takes them as short texts. */
function watch(store: Store, of = owner): () => readonly string[] {
  let seen: string[] = [];
  store.onUserChanges((changes) => {
    if (changes === "missed") return void seen.push("missed");
    for (const change of changes) if (change.owner === of) seen.push(textOf(change.event));
  });
  return () => {
    const taken = seen;
    seen = [];
    return taken;
  };
}

function textOf({ type, ...ids }: UserChangeEvent): string {
  return `${type} ${Object.values(ids).join(" ")}`;
}

const asks = (id: string) =>
  event({ type: "approval.requested", callId: `call_${id}`, approval: approvalRequest(id) });

everyStore("commits tell which of a user's data changed", async (withStore) => {
  await withStore(async (store, clock) => {
    const take = watch(store);
    const conversation = { id: "c", owner, title: "", metadata: {} };
    const switches = { groups: {}, tools: {} };
    await store.write([{ type: "create-conversation", ...conversation, switches }]);
    assert.deepEqual(take(), ["conversation.created c"]);
    await createRun(store, { id: "r", conversationId: "c" });
    await store.write([{ type: "move-head", owner, id: "c", from: null, to: "r" }]);
    assert.deepEqual(take(), ["run.created r c in_progress", "conversation.changed c"]);
    await commit(store, "r", [start("i"), delta("i", "a")]);
    await commit(store, "r", [delta("i", "b")]);
    assert.deepEqual(take(), []);

    await commit(store, "r", [asks("a1")]);
    await commit(store, "r", [asks("a2")]);
    assert.deepEqual(take(), ["approval.requested a1 r c", "approval.requested a2 r c"]);
    const request = approvalRequest("a1");
    const waiting = { type: "approval", callId: request.callId, approval: request } as const;
    await commit(store, "r", [stopsFor(waiting)]);
    assert.deepEqual(take(), ["run.changed r c requires_action"]);
    const answer = { decision: "allow" } as const;
    await store.write([{ type: "answer-approval", owner, id: "a1", answer }]);
    assert.deepEqual(take(), ["approval.answered a1 r c", "run.changed r c queued"]);
    await store.write([{ type: "answer-approval", owner, id: "a1", answer }]);
    assert.deepEqual(take(), [], "a second answer changes nothing");
    clock.set(20_000);
    await store.write([{ type: "expire-approvals" }]);
    assert.deepEqual(take(), ["approval.answered a2 r c"]);
    const [claimed] = await store.write([{ type: "claim-run", runId: "r" }]);
    assert.equal(claimed.status, "claimed");
    assert.deepEqual(take(), ["run.changed r c in_progress"]);
    const epoch = claimed.status === "claimed" ? claimed.epoch : 0;
    await commit(store, "r", [resultOf("completed")], epoch);
    assert.deepEqual(take(), ["run.ended r c completed"]);

    const update = { title: "Renamed" };
    await store.write([{ type: "update-conversation", owner, id: "c", update }]);
    await store.write([{ type: "update-conversation", owner: "mallory", id: "c", update }]);
    assert.deepEqual(take(), ["conversation.changed c"]);
    await store.write([{ type: "delete-conversation", owner, id: "c" }]);
    assert.deepEqual(take(), ["conversation.deleted c"]);
  });
});

everyStore("a request that is not applied tells nothing, and changes have owners", async (use) => {
  await use(async (store) => {
    const [take, takeOther] = [watch(store), watch(store, "other")];
    const made = { type: "create-conversation", title: "", metadata: {} } as const;
    const switches = { groups: {}, tools: {} };
    const change = { tool: "files.ViewFile", change: { execution: "deny" } } as const;
    await store.write([
      { ...made, id: "x", owner, switches },
      { type: "move-head", owner, id: "x", from: null, to: "missing" },
    ]);
    assert.deepEqual(take(), []);
    await store.write([{ type: "change-override", owner: "other", ...change }]);
    assert.deepEqual([take(), takeOther()], [[], ["permissions.changed "]]);
  });
});

const postgres = findPostgres();

test(
  "other nodes learn of changes",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withTwoNodes(async (one, other) => {
      const arrived = Promise.withResolvers<unknown>();
      other.onUserChanges(arrived.resolve);
      await createRun(one, { id: "r" });
      const created = { type: "run.created", run: "r", conversation: null, status: "in_progress" };
      assert.deepEqual(await arrived.promise, [{ owner, event: created }]);
    });
  },
);
