import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptWorker } from "./script-worker.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker-pool.ts";

interface FakeWorker extends ScriptWorker {
  calls: number;
  isUsable: boolean;
}

function pool(options: WorkerPoolOptions = {}) {
  const workers: FakeWorker[] = [];
  const start = (): Promise<ScriptWorker> => {
    const { promise: ended, resolve } = Promise.withResolvers<{ status: "exited"; code: 0 }>();
    const worker: FakeWorker = {
      calls: 0,
      isUsable: true,
      ended,
      call: () => Promise.reject(new Error("not in this test")),
      hold: () => {},
      end: () => {
        worker.isUsable = false;
        resolve({ status: "exited", code: 0 });
      },
    };
    workers.push(worker);
    return Promise.resolve(worker);
  };
  const workers_ = new WorkerPool(options);
  const { signal } = new AbortController();
  const use = (
    key: string,
    work: (worker: FakeWorker) => unknown = () => {},
    during: AbortSignal = signal,
    keepsSpare = false,
  ) =>
    workers_.use({
      key,
      start,
      signal: during,
      keepsSpare,
      work: async (worker) => {
        (worker as FakeWorker).calls++;
        await work(worker);
        return workers.indexOf(worker);
      },
    });
  return { use, workers, close: () => workers_.close() };
}

test("a worker is kept for the next call of its script, and of no other", async () => {
  const { use, close } = pool();
  assert.equal(await use("a"), 0);
  assert.equal(await use("a"), 0);
  assert.equal(await use("b"), 1);
  assert.equal(await use("a"), 0);
  await close();
});

// Contract: sandbox-52
test("a worker has one call at a time; concurrent calls have workers of their own up to the limit", async () => {
  const { use, workers, close } = pool({ perScript: 2 });
  const gate = Promise.withResolvers<void>();
  const calls = [1, 2, 3].map(() => use("a", () => gate.promise));
  await new Promise(setImmediate);
  assert.deepEqual(
    workers.map((worker) => worker.calls),
    [1, 1],
  );
  gate.resolve();
  await Promise.all(calls);
  assert.deepEqual(
    workers.map((worker) => worker.calls).toSorted((a, b) => a - b),
    [1, 2],
  );
  await close();
});

// Contract: sandbox-53
test("a worker is replaced after a number of calls, after a time, and after a crash", async () => {
  let now = 0;
  const { use, workers, close } = pool({ maxCalls: 2, maxAgeMs: 1000, now: () => now });
  assert.deepEqual([await use("a"), await use("a"), await use("a")], [0, 0, 1]);
  now = 1000;
  assert.deepEqual([await use("a"), await use("a")], [1, 2]);
  await use("a", (worker) => (worker.isUsable = false));
  assert.equal(await use("a"), 3);
  assert.deepEqual(
    workers.map((worker) => worker.isUsable),
    [false, false, false, true],
  );
  await close();
});

// Contract: sandbox-53
test("if the pool is full, the worker of another script that is idle for longest is replaced", async () => {
  const { use, workers, close } = pool({ total: 2 });
  await use("a");
  await use("b");
  assert.equal(await use("c"), 2);
  assert.deepEqual(
    workers.map((worker) => worker.isUsable),
    [false, true, true],
  );
  await close();
});

// Contract: sandbox-54
test("a caller that waits for a worker can give up without affecting others in the queue", async () => {
  const { use, close } = pool({ perScript: 1 });
  const gate = Promise.withResolvers<void>();
  const first = use("a", () => gate.promise);
  const stop = new AbortController();
  const given = use("a", () => {}, stop.signal);
  const waiting = use("a");
  stop.abort(new Error("given up"));
  await assert.rejects(given, /given up/);
  gate.resolve();
  assert.deepEqual(await Promise.all([first, waiting]), [0, 0]);
  await close();
});

test("a worker that cannot be started uses no slot", async () => {
  const workers = new WorkerPool({ total: 1 });
  const { signal } = new AbortController();
  const call = () =>
    workers.use({
      key: "a",
      start: () => Promise.reject(new Error("no")),
      signal,
      work: () => Promise.resolve(),
    });
  await assert.rejects(call(), /^Error: no$/);
  await assert.rejects(call(), /^Error: no$/);
  await workers.close();
});

test("a closed pool ends its workers and starts none", async () => {
  const { use, workers, close } = pool();
  await use("a");
  await close();
  assert.equal(workers[0]?.isUsable, false);
  await assert.rejects(use("a"), /stopped/);
});

// Contract: scripts-49
test("after a call of a worker that runs one call, the next worker starts at once", async () => {
  const { use, workers, close } = pool({ perScript: 2 });
  const once = (worker: FakeWorker) => worker.end();
  assert.equal(await use("a", once, undefined, true), 0);
  await new Promise(setImmediate);
  assert.equal(workers.length, 2, "the spare worker");
  assert.equal(await use("a", once, undefined, true), 1);
  await new Promise(setImmediate);
  assert.equal(await use("a", () => {}, undefined, true), 2, "a usable worker is its own spare");
  await new Promise(setImmediate);
  assert.equal(workers.length, 3);
  await close();
  assert.ok(workers.every(({ isUsable }) => !isUsable));
});
