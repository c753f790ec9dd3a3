import assert from "node:assert/strict";
import { test } from "node:test";
import { runInWorker } from "./run-in-worker.ts";

/** Counts the running workers of this module, and their maximum. */
const counting = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from "node:worker_threads";
    const counts = new Int32Array(workerData);
    const now = Atomics.add(counts, 0, 1) + 1;
    if (now > Atomics.load(counts, 1)) Atomics.store(counts, 1, now);
    Atomics.notify(counts, 1);
    // The first worker waits for another one, and both wait for one too many.
    Atomics.wait(counts, 1, 1, 10_000);
    Atomics.wait(counts, 2, 0, 100);
    Atomics.sub(counts, 0, 1);
    parentPort.postMessage("done");
  `)}`,
);
const hanging = new URL("data:text/javascript,setInterval(() => {}, 1000)");

test("all callers together run at most as many workers of a module as a job allows", async () => {
  const input = new SharedArrayBuffer(12);
  const { signal } = new AbortController();
  const job = { module: counting, input, timeoutMs: 30_000, atOnce: 2, signal };
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => runInWorker<string>(job)));
  for (const outcome of outcomes) assert.deepEqual(outcome, { status: "done", value: "done" });
  assert.equal(new Int32Array(input)[1], 2);
});

test("a job that waits for a worker can be aborted, and then uses no slot", async () => {
  const first = new AbortController();
  const job = { module: hanging, input: null, timeoutMs: 30_000, atOnce: 1 };
  const running = runInWorker({ ...job, signal: first.signal });
  const waiting = new AbortController();
  const stopped = runInWorker({ ...job, signal: waiting.signal });
  waiting.abort(new Error("not wanted"));
  await assert.rejects(stopped, /not wanted/);
  first.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
  const last = await runInWorker({ ...job, timeoutMs: 50, signal: AbortSignal.timeout(20_000) });
  assert.equal(last.status, "timed_out");
});

test("a worker that needs too much memory outside of its heap is ended, also in a loop", async () => {
  const module = new URL(
    `data:text/javascript,${encodeURIComponent("const kept = []; for (;;) kept.push(new Uint8Array(1_000_000).fill(1));")}`,
  );
  const { signal } = new AbortController();
  const job = { module, input: null, timeoutMs: 60_000, memoryMb: 100, signal };
  const outcome = await runInWorker(job);
  assert.deepEqual(outcome, {
    status: "failed",
    message: "it needed more than 100 MB of memory",
  });
});
