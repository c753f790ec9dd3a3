import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { type CreationCursor, openMemoryStore, type Store } from "@capstan/store";
import { approvalRequest, commit, createRun, event, grantOf, owner } from "@capstan/store/testing";
import { grantId, mergePages, RunStores } from "./run-stores.ts";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

const run = (id: string) => ({ id, owner });

function limited(limits: { readonly ttlMs: number; readonly maxRuns: number }) {
  const expired: string[] = [];
  const stores = new RunStores({ durable: openMemoryStore(), memory: openMemoryStore(), limits });
  stores.setExpiryListener(({ id }) => expired.push(id));
  for (const id of ["a", "b", "c"]) stores.placeInMemory(id);
  return { stores, expired };
}

test("ended runs are deleted when they expire, the oldest first if there are too many", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { stores, expired } = limited({ ttlMs: 100, maxRuns: 2 });
  stores.stopped(run("a"), false);
  stores.stopped(run("b"), true);
  stores.stopped(run("a"), false);
  stores.stopped(run("c"), false);
  assert.deepEqual(expired, ["b"]);
  context.mock.timers.tick(100);
  assert.deepEqual(expired, ["b", "a", "c"]);
});

test("a run in memory with a pending approval is stored for a day, and a durable run does not expire", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { stores, expired } = limited({ ttlMs: 100, maxRuns: 2 });
  stores.stopped(run("a"), true);
  stores.stopped(run("durable"), false);
  context.mock.timers.tick(24 * 60 * 60 * 1_000 - 1);
  assert.deepEqual(expired, []);
  context.mock.timers.tick(1);
  assert.deepEqual(expired, ["a"]);
});

test("the memory store has at most the limit of runs, and no durable runs", async () => {
  const [store, memory] = [openMemoryStore(), openMemoryStore()];
  const model = new ScriptedModel(["one", "two", "three", "four"]);
  const memoryLimits = { ttlMs: 60_000, maxRuns: 2 };
  const runs = createRuns({ store, memory, model, memoryLimits });
  const ids: string[] = [];
  for (const text of ["1", "2", "3"]) {
    const outcome = await runs.start(requestOf(text), { isDurable: false });
    assert.equal(outcome.status, "started");
    const { id } = (outcome as { run: { id: string } }).run;
    ids.push(id);
    await runIn(memory, id, "completed");
  }
  const kept = await begin(runs, requestOf("4"));
  await runIn(store, kept.id, "completed");
  // The first run is deleted in the commit after the last run has ended.
  while ((await memory.getRun({ owner, id: ids[0]! })) !== undefined)
    await new Promise(setImmediate);
  const left = await Promise.all([...ids, kept.id].map((id) => memory.getRun({ owner, id })));
  assert.deepEqual(
    left.map((one) => one?.id),
    [undefined, ids[1], ids[2], undefined],
  );
});

test("a run in memory that could not be stored is deleted when it expires", async () => {
  const memory = openMemoryStore();
  const ids: string[] = [];
  const failing = Object.assign(Object.create(memory) as typeof memory, {
    write: ([first]: Parameters<typeof memory.write>[0]) => {
      if (first?.type === "create-run") ids.push(first.run.id);
      return Promise.reject(new Error("no memory"));
    },
  });
  const memoryLimits = { ttlMs: 1, maxRuns: 2 };
  const options = { memory: failing, model: new ScriptedModel([]), memoryLimits };
  const runs = createRuns(options);
  await assert.rejects(runs.start(requestOf("1"), { isDurable: false }), /no memory/);
  const { durable } = runs.stores;
  assert.notEqual(runs.stores.of(ids[0]!), durable);
  Object.assign(failing, { write: memory.write.bind(memory) });
  await runs.expireApprovals();
  while (runs.stores.of(ids[0]!) !== durable) await new Promise((soon) => setTimeout(soon, 1));
});

async function ask(store: Store, id: string, createdAt: number): Promise<void> {
  const approval = { ...approvalRequest(id), createdAt };
  await commit(store, "r", [
    event({ type: "approval.requested", callId: approval.callId, approval }),
  ]);
}

// Contract: durability-4
test("pages of approvals and grants of two stores skip and repeat no entry while the clock jumps", async () => {
  const [durable, memory] = [openMemoryStore(), openMemoryStore()];
  const stores = new RunStores({ durable, memory });
  for (const store of stores.all) await createRun(store, { id: "r" });
  // The clock jumps days ahead and back and repeats milliseconds; new approvals arrive while older
  // ones are read.
  const times = [5, 5, 9_000, 3, 3, 4, 9_000, 2, 5, 1, 1, 10_000];
  const made: string[] = [];
  const make = async (n: number) => {
    const id = `${"qd"[n % 2]}${n}`;
    const store = n % 3 === 0 ? memory : durable;
    await ask(store, id, times[n] ?? 1);
    const grant = grantOf(id, { scope: "always", createdAt: times[n] ?? 1 });
    await store.write([{ type: "create-grant", owner, sessionId: null, grant }]);
    made.push(id);
  };
  for (let n = 0; n < 10; n++) await make(n);
  const before = [...made];
  const approvals: string[] = [];
  for (let after: CreationCursor | undefined; ;) {
    const page = await stores.listApprovals({ owner, limit: 2, ...(after && { after }) });
    approvals.push(...page.data.map(({ id }) => id));
    if (made.length < times.length) await make(made.length);
    if (!page.hasMore) break;
    after = await stores.findApprovalCursor({ owner, id: approvals.at(-1) ?? "" });
  }
  assert.deepEqual(approvals.toSorted(), before.toSorted());
  const ofOne = (ids: readonly string[], store: number) =>
    ids.filter((id) => (Number(id.slice(1)) % 3 === 0) === (store === 1));
  for (const store of [0, 1])
    assert.deepEqual(ofOne(approvals, store), ofOne(before, store).toReversed());

  const grants: string[] = [];
  for (let after: CreationCursor | undefined; ;) {
    const page = await stores.listGrants({ owner, limit: 2, ...(after && { after }) });
    assert.ok(page.data.length <= 2, "a page has at most `limit` entries");
    grants.push(...page.data.map(grantId));
    const last = page.data.at(-1);
    if (!page.hasMore || last === undefined) break;
    after = { createdSeq: last.createdSeq, id: grantId(last) };
  }
  assert.deepEqual(grants.toSorted(), made.toSorted());
  for (const store of [0, 1])
    assert.deepEqual(ofOne(grants, store), ofOne(made, store).toReversed());
});

test("pages that ended early merge without a gap, and all their entries are found", () => {
  const entry = (createdSeq: number) => ({ createdSeq, id: `a${createdSeq}` });
  const lists = [[9, 7, 6, 2].map(entry), [8, 5, 4, 3].map(entry)];
  const seen: number[] = [];
  for (let after = Infinity; ;) {
    const pages = lists.map((list, length) => {
      const rest = list.filter(({ createdSeq }) => createdSeq < after);
      return { data: rest.slice(0, length + 1), hasMore: rest.length > length + 1 };
    });
    const { data, hasMore } = mergePages(pages, ({ id }) => id);
    seen.push(...data.map(({ createdSeq }) => createdSeq));
    if (!hasMore) break;
    after = seen.at(-1) ?? 0;
  }
  assert.deepEqual(seen, [9, 8, 7, 6, 5, 4, 3, 2]);
});
