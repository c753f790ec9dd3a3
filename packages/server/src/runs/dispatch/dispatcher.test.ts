import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock, test } from "node:test";
import type { ChainResultRecord } from "@capstan/core/host";
import { FakeClock } from "@capstan/core/testing";
import type { RunRef, Store } from "@capstan/store";
import {
  approvalRequest,
  commit,
  createRun,
  event,
  owner,
  resultOf,
  withMemoryStore,
} from "@capstan/store/testing";
import { Dispatcher, Slots } from "./dispatcher.ts";
import type { RunQueue } from "./run-queue.ts";

const limits = { runsAtOnce: 2, runsOfOne: 2 };

/**
 * A dispatcher whose runs execute until the test ends them, and its queue, which only records
 * offers.
 */
function setup(store: Store, { runsAtOnce = 2, isStopping = (): boolean => false } = {}) {
  const live = new Set<string>();
  const offered: string[] = [];
  const clock = new FakeClock();
  const queue = {
    isUp: true,
    offer: (runs: readonly RunRef[]) => void offered.push(...runs.map(({ id }) => id)),
    wakeAt: () => false,
    close: async () => {},
  } satisfies RunQueue;
  const slots = new Slots({ ...limits, runsAtOnce });
  const dispatcher = new Dispatcher({
    stores: { durable: store, all: [store], of: () => store },
    slots,
    runs: {
      resume: async ({ id }) => void live.add(id),
      claim: async ({ id, epoch }) => {
        const [outcome] = await store.write([{ type: "claim-run", runId: id, epoch }]);
        if (outcome.status === "claimed") live.add(id);
      },
      isActive: (id) => live.has(id),
      get isStopping() {
        return isStopping();
      },
      claimDuring: (_, commit) => commit(),
    },
    clock,
    log: (line) => assert.fail(line),
  });
  const end = async (id: string) => {
    live.delete(id);
    slots.release(id);
    await dispatcher.fill();
  };
  return { live, offered, queue, slots, dispatcher, end, pass: (ms: number) => clock.advance(ms) };
}

const orphan = (id: string): RunRef => ({ id, owner, status: "in_progress", epoch: 1 });

// Contract: durability-79
test("the runs of a silent node are offered to the queue once, and claimed without it after a second", async () => {
  await withMemoryStore(async (store) => {
    for (const id of ["a", "b"]) await createRun(store, { id });
    const { live, offered, queue, dispatcher, pass } = setup(store);
    dispatcher.useQueue(queue);
    const orphans = [orphan("a"), orphan("b")];
    await dispatcher.sweep(orphans);
    pass(500);
    await dispatcher.sweep(orphans);
    assert.deepEqual([offered, live.size], [["a", "b"], 0]);
    pass(500);
    await dispatcher.sweep(orphans);
    assert.deepEqual([...live], ["a", "b"]);
  });
});

// Contract: durability-78
test("without a queue, or if it is down, runs of a silent node are claimed immediately", async () => {
  for (const hasQueue of [false, true])
    await withMemoryStore(async (store) => {
      await createRun(store, { id: "a" });
      const { live, offered, queue, dispatcher } = setup(store);
      if (hasQueue) dispatcher.useQueue({ ...queue, isUp: false });
      await dispatcher.sweep([orphan("a")]);
      assert.deepEqual([[...live], offered], [["a"], []]);
    });
});

// Contract: durability-80
test("a run without a slot is queued and offered, and executes here as soon as a slot is free", async () => {
  await withMemoryStore(async (store) => {
    for (const id of ["a", "b", "c"]) await createRun(store, { id });
    const { live, offered, queue, dispatcher, end } = setup(store);
    dispatcher.useQueue(queue);
    await dispatcher.claim(["a", "b", "c"].map(orphan));
    assert.deepEqual([[...live], offered], [["a", "b"], ["c"]]);
    assert.equal((await store.getRun({ owner, id: "c" }))?.status, "queued");
    await end("a");
    assert.deepEqual([...live], ["b", "c"]);
  });
});

// Contract: durability-77
test("a run that is delivered twice executes once", async () => {
  await withMemoryStore(async (store) => {
    await createRun(store, { id: "a", status: "queued" });
    const { dispatcher } = setup(store);
    const waiting: RunRef = { id: "a", owner, status: "queued", epoch: 0 };
    await Promise.all([dispatcher.claim([waiting]), dispatcher.claim([waiting])]);
    await dispatcher.claim([waiting]);
    assert.equal((await store.getRun({ owner, id: "a" }))?.epoch, 1);
  });
});

test("a job for a run that was already found does not read the store; a job for a later wait does", async () => {
  await withMemoryStore(async (store) => {
    for (const id of ["a", "b"]) await createRun(store, { id, status: "queued" });
    const { live, slots, dispatcher } = setup(store);
    const job = (id: string, epoch: number): RunRef => ({ id, owner, status: "queued", epoch });
    await dispatcher.onDelivery(job("a", 0));
    assert.deepEqual([...live], ["a", "b"]);
    slots.release("b");
    const looks = mock.method(store, "everyQueued");
    await dispatcher.onDelivery(job("b", 0));
    assert.equal(looks.mock.callCount(), 0);
    await dispatcher.onDelivery(job("b", 1));
    assert.ok(looks.mock.callCount() > 0);
  });
});

test("a waiter for a free slot is notified and leaves nothing behind", async () => {
  await withMemoryStore(async (store) => {
    for (const id of ["a", "b"]) await createRun(store, { id });
    const { dispatcher, end } = setup(store);
    await dispatcher.claim(["a", "b"].map(orphan));
    const stop = new AbortController();
    let hasFreeSlot = false;
    const room = dispatcher.freeSlot(stop.signal).then(() => (hasFreeSlot = true));
    await new Promise(setImmediate);
    assert.equal(hasFreeSlot, false);
    await end("a");
    await room;
    await dispatcher.freeSlot(stop.signal);
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  });
});

test("a slot that becomes free while a run is stored without one is used for that run", async () => {
  await withMemoryStore(async (store) => {
    const { live, slots, dispatcher } = setup(store);
    for (const id of ["a", "b"]) assert.ok(slots.acquire(id, owner));
    assert.equal(slots.acquire("c", owner), false);
    slots.release("a");
    await createRun(store, { id: "c", status: "queued" });
    dispatcher.offer({ id: "c", owner, status: "queued", epoch: 0 });
    for (let turn = 0; turn < 10 && live.size === 0; turn++) await new Promise(setImmediate);
    assert.deepEqual([...live], ["c"]);
  });
});

/** A run that waits for the approval `a`. */
async function waiting(store: Store): Promise<void> {
  await createRun(store, { id: "r" });
  const approval = approvalRequest("a");
  const { callId } = approval;
  const { result } = resultOf("requires_action") as { readonly result: ChainResultRecord };
  await commit(store, "r", [
    event({ type: "approval.requested", callId, approval }),
    { type: "result", result: { ...result, waiting: [{ type: "approval", callId, approval }] } },
  ]);
}

const answerOf = (store: Store) => async (claims: boolean) => {
  const answer = { decision: "allow" } as const;
  const [outcome] = await store.write([
    { type: "answer-approval", owner, id: "a", answer, claims },
  ]);
  return outcome;
};

const question = { name: "a", owner, runId: "r" };
const statusOf = async (store: Store) => (await store.getRun({ owner, id: "r" }))?.status;

test("an answered run executes in the only slot, which was reserved for its answer", async () => {
  await withMemoryStore(async (store) => {
    await waiting(store);
    const { live, dispatcher, end } = setup(store, { runsAtOnce: 1 });
    await dispatcher.answer(question, answerOf(store));
    assert.deepEqual([[...live], await statusOf(store)], [["r"], "in_progress"]);
    assert.equal(dispatcher.hasFreeSlot, false);
    await end("r");
    assert.equal(dispatcher.hasFreeSlot, true);
  });
});

test("a run that resumes with its answer, waits again and is queued elsewhere is claimed immediately", async () => {
  await withMemoryStore(async (store) => {
    await waiting(store);
    const { live, dispatcher, end } = setup(store);
    await dispatcher.answer(question, answerOf(store));
    const { epoch = 0 } = (await store.getRun({ owner, id: "r" })) ?? {};
    await end("r");
    await store.write([{ type: "set-status", runId: "r", epoch, status: "queued" }]);
    await dispatcher.onDelivery({ id: "r", owner, status: "queued", epoch });
    assert.deepEqual([[...live], await statusOf(store)], [["r"], "in_progress"]);
  });
});

test("a run that is answered while no slot is free is queued and offered to other nodes", async () => {
  await withMemoryStore(async (store) => {
    await waiting(store);
    const { live, offered, queue, dispatcher } = setup(store, { runsAtOnce: 0 });
    dispatcher.useQueue(queue);
    await dispatcher.answer(question, answerOf(store));
    assert.deepEqual([live.size, offered, await statusOf(store)], [0, ["r"], "queued"]);
  });
});

// Contract: durability-15
test("a run that is answered as the server begins to stop is left to the next server", async () => {
  await withMemoryStore(async (store) => {
    await waiting(store);
    let stops = false;
    const { live, dispatcher } = setup(store, { isStopping: () => stops });
    await dispatcher.answer(question, async (claims) => {
      const outcome = await answerOf(store)(claims);
      stops = true;
      return outcome;
    });
    assert.deepEqual([live.size, await statusOf(store)], [0, "queued"]);
    assert.equal(dispatcher.hasFreeSlot, true);
  });
});

test("an answer without a run releases its slot, and so does a failed answer", async () => {
  await withMemoryStore(async (store) => {
    const { dispatcher } = setup(store, { runsAtOnce: 1 });
    const outcome = await dispatcher.answer(question, answerOf(store));
    assert.deepEqual([outcome.status, dispatcher.hasFreeSlot], ["not_found", true]);
    const failing = dispatcher.answer(question, () => Promise.reject(new Error("disk full")));
    await assert.rejects(failing, /disk full/);
    assert.equal(dispatcher.hasFreeSlot, true);
  });
});
