import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../live/store.ts";
import { openMemoryStore } from "../sqlite/open-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  owner,
  resultOf,
  settableClock,
} from "../testing/store-fixtures.ts";
import { planPrune, prune } from "./prune.ts";
import { dayMs, type Retention } from "./retention-rules.ts";

const megabyte = 1_048_576;

/** A store whose conversations were last changed this many days ago. */
async function storeWith(
  conversations: readonly {
    readonly id: string;
    readonly daysAgo: number;
    readonly megabytes?: number;
    readonly owner?: string;
    readonly is?: "unfinished" | "asking" | "unknown";
  }[],
) {
  const now = 1_000 * dayMs;
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  for (const { id, daysAgo, megabytes = 0.1, is, owner: user = owner } of conversations) {
    clock.set(now - daysAgo * dayMs);
    const about = { title: id, metadata: {}, switches: { groups: {}, tools: {} } };
    await store.write([{ type: "create-conversation", id, owner: user, ...about }]);
    const run = `run of ${id}`;
    await createRun(store, { id: run, owner: user, conversationId: id });
    const content = "x".repeat(megabytes * megabyte);
    await commit(store, run, [{ type: "message", round: 0, message: { role: "user", content } }]);
    if (is === "asking") {
      const approval = approvalRequest(id, now + dayMs);
      await commit(store, run, [event({ type: "approval.requested", approval } as never)]);
    }
    const unknown = callRecord("call", { status: "outcome_unknown" });
    if (is === "unknown") await commit(store, run, [{ type: "call", call: unknown }]);
    if (is !== "unfinished") await commit(store, run, [resultOf("completed")]);
  }
  clock.set(now);
  return { store, now };
}

async function conversationsOf(store: Store, user = owner): Promise<string[]> {
  const { data } = await store.listConversations({ owner: user });
  return data.map(({ id }) => id).toSorted();
}

/** Checks that every row that is left has an owner who can find it. */
async function isClean(store: Store): Promise<void> {
  for (const { owner: user, bytes, runs, conversations } of await store.everyUsage())
    if (runs + conversations === 0) assert.equal(bytes, 0, user);
}

test("data that was not changed for the configured days is deleted with all its runs; other data stays", async () => {
  const { store, now } = await storeWith([
    { id: "old", daysAgo: 31 },
    { id: "young", daysAgo: 29 },
  ]);
  const retention = { days: 30 };
  const plan = await planPrune({ reader: store, retention, now });
  assert.deepEqual(await conversationsOf(store), ["old", "young"], "a plan changes nothing");
  const pruned = await prune({ store, retention, now });
  assert.deepEqual(pruned, plan);
  const [one] = pruned;
  assert.deepEqual([one?.owner, one?.conversations, one?.runs], [owner, 1, 1]);
  assert.deepEqual(await conversationsOf(store), ["young"]);
  assert.equal(await store.getRun({ owner, id: "run of old" }), undefined);
  await isClean(store);
  assert.deepEqual(await prune({ store, retention, now }), []);
});

test("without rules nothing is deleted, however old and large it is", async () => {
  const { store, now } = await storeWith([{ id: "a", daysAgo: 900, megabytes: 2 }]);
  const principals = { [owner]: {} };
  assert.deepEqual(await prune({ store, retention: {}, now }), []);
  assert.deepEqual(await prune({ store, retention: { days: 1, principals }, now }), []);
  assert.deepEqual(await conversationsOf(store), ["a"]);
});

test("to free space the oldest data is deleted first, no more than needed, and nothing of the last day", async () => {
  const { store, now } = await storeWith([
    { id: "a", daysAgo: 3, megabytes: 1 },
    { id: "b", daysAgo: 5, megabytes: 1 },
    { id: "c", daysAgo: 4, megabytes: 1 },
    { id: "d", daysAgo: 0.5, megabytes: 1 },
  ]);
  const retention = { megabytes: 2.5 };
  const plan = await planPrune({ reader: store, retention, now });
  const pruned = await prune({ store, retention, now });
  assert.deepEqual(pruned, plan);
  assert.equal(pruned[0]?.bytes, pruned[0]?.freedBytes);
  assert.deepEqual(await conversationsOf(store), ["a", "d"]);
  await prune({ store, retention: { megabytes: 0.1 }, now });
  assert.deepEqual(await conversationsOf(store), ["d"]);
});

test("data deleted because of its age counts as freed space, too", async () => {
  const { store, now } = await storeWith([
    { id: "a", daysAgo: 90, megabytes: 1 },
    { id: "b", daysAgo: 5, megabytes: 1 },
    { id: "c", daysAgo: 4, megabytes: 1 },
  ]);
  await prune({ store, retention: { days: 30, megabytes: 2.5 }, now });
  assert.deepEqual(await conversationsOf(store), ["b", "c"]);
});

// Contract: durability-29
test("an unfinished run, an approval request and an unknown outcome keep their lineages, and the report counts them", async () => {
  const { store, now } = await storeWith([
    { id: "a", daysAgo: 90, is: "unfinished" },
    { id: "b", daysAgo: 90, is: "asking" },
    { id: "c", daysAgo: 90, is: "unknown" },
    { id: "d", daysAgo: 90 },
  ]);
  const [pruned] = await prune({ store, retention: { days: 30 }, now });
  assert.deepEqual(pruned?.held, { unfinished: 1, question: 1, unknown_outcome: 1 });
  assert.deepEqual(await conversationsOf(store), ["a", "b", "c"]);
});

test("each user has a rule: their own, or the general one", async () => {
  const { store, now } = await storeWith([
    { id: "a", owner: "ann", daysAgo: 90 },
    { id: "b", owner: "ben", daysAgo: 90 },
    { id: "c", owner: "cy", daysAgo: 90 },
  ]);
  const retention: Retention = { days: 30, principals: { ben: { days: 100 }, cy: { days: 1 } } };
  const pruned = await prune({ store, retention, now });
  assert.deepEqual(
    pruned.map((one) => one.owner),
    ["ann", "cy"],
  );
  assert.deepEqual(await conversationsOf(store, "ben"), ["b"]);
});

// Contract: durability-29
test("pruning that is killed at any commit completes the next time, and nothing is half deleted meanwhile", async () => {
  for (let survives = 0, isDone = false; !isDone; survives++) {
    const { store, now } = await storeWith([
      { id: "a", daysAgo: 90 },
      { id: "b", daysAgo: 80 },
      { id: "c", daysAgo: 1 },
    ]);
    let writes = 0;
    const dying: Store = {
      ...store,
      write: (given) => {
        if (writes++ === survives) throw new Error("killed");
        return store.write(given);
      },
    };
    const retention = { days: 30 };
    isDone = await prune({ store: dying, retention, now }).then(
      () => true,
      () => false,
    );
    for (const id of ["a", "b", "c"]) {
      const conversation = await store.getConversation({ owner, id });
      const run = { owner, runId: `run of ${id}` };
      const messages = await store.readMessages(run);
      assert.equal(messages?.length, conversation === undefined ? undefined : 1);
    }
    await prune({ store, retention, now });
    assert.deepEqual(await conversationsOf(store), ["c"]);
    const [left] = await store.everyUsage();
    const start = { type: "conversation", id: "c" } as const;
    assert.equal(left?.bytes, (await store.getLineage({ owner, start }))?.bytes);
    if (isDone) assert.ok(survives > 3, "there was something to survive");
  }
});

test("a run that continues a lineage during its deletion is refused, or keeps the lineage", async () => {
  const { store, now } = await storeWith([{ id: "a", daysAgo: 90 }]);
  const start = { type: "conversation", id: "a" } as const;
  const forget = { type: "forget-lineage", owner, start, before: now } as const;
  const next = { id: "next", owner, model: "m", request: {}, input: [], parentId: "run of a" };
  // All three in one commit of the writer.
  const [forgotten, continued] = await Promise.all([
    store.write([forget]),
    store.write([{ type: "create-run", run: next }]),
  ]);
  assert.deepEqual([forgotten[0].status, continued[0].status], ["deleted", "refused"]);
});
