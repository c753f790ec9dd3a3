import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { createCommitQueue } from "./commit-queue.ts";

test("requests that arrive during a commit are part of the next commit, in order", async () => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => {
      batches.push(batch);
      await new Promise<void>((resolve) => gates.push(resolve));
      return batch.map((each) => each * 10);
    },
    settle: (_, result) => result,
  });
  const first = queue.submit(1);
  await endOfTurn();
  const later = [queue.submit(2), queue.submit(3)];
  gates.shift()?.();
  assert.equal(await first, 10);
  await endOfTurn();
  gates.shift()?.();
  assert.deepEqual(await Promise.all(later), [20, 30]);
  assert.deepEqual(batches, [[1], [2, 3]]);
});

test("callbacks run right before the next commit, and their requests are part of it", async () => {
  const batches: (readonly number[])[] = [];
  const gate = Promise.withResolvers<void>();
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => {
      batches.push(batch);
      await gate.promise;
      return batch;
    },
    settle: (_, result) => result,
  });
  let value = 1;
  queue.beforeNext(() => void queue.submit(value));
  value = 2;
  await endOfTurn();
  queue.beforeNext(() => void queue.submit(value));
  value = 3;
  const last = queue.submit(4);
  gate.resolve();
  await last;
  await queue.drained();
  assert.deepEqual(batches[0], [2]);
  assert.deepEqual(
    batches
      .slice(1)
      .flat()
      .toSorted((a, b) => a - b),
    [3, 4],
  );
});

test("a failed commit rejects its own requests, and the queue continues", async () => {
  let broken = true;
  const settled: (number | undefined)[] = [];
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => {
      if (broken) throw new Error("no disk");
      return batch;
    },
    settle: (_, result) => {
      settled.push(result);
      return result;
    },
  });
  await assert.rejects(queue.submit(1), /no disk/);
  broken = false;
  assert.equal(await queue.submit(2), 2);
  assert.deepEqual(settled, [undefined, 2], "settle is called for both requests");
});

test("draining waits for the submitted requests", async () => {
  const done: number[] = [];
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => batch,
    settle: (_, result) => result,
  });
  for (const each of [1, 2, 3]) void queue.submit(each).then((value) => done.push(value));
  await queue.drained();
  await Promise.resolve();
  assert.deepEqual(done, [1, 2, 3]);
});

test("only one commit runs at a time", async () => {
  const written: number[] = [];
  let underWay = 0;
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => {
      assert.equal((underWay += 1), 1);
      for (let turn = 0; turn < 3; turn++) await endOfTurn();
      underWay -= 1;
      written.push(...batch);
      return batch;
    },
    settle: (_, result) => result,
  });
  for (const each of [1, 2, 3]) {
    void queue.submit(each);
    await endOfTurn();
  }
  await queue.drained();
  assert.deepEqual(written, [1, 2, 3]);
});

test("requests submitted while a commit begins are part of it, and no second commit begins", async () => {
  const batches: string[][] = [];
  let running = 0;
  let maxRunning = 0;
  const queue = createCommitQueue<string, string>({
    commit: async (batch) => {
      batches.push([...batch]);
      maxRunning = Math.max(maxRunning, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return batch;
    },
    settle: (_, result) => result,
  });
  queue.beforeNext(() => void queue.submit("arrived"));
  await new Promise((resolve) => setImmediate(resolve));
  void queue.submit("later");
  await queue.drained();
  assert.deepEqual(batches.flat(), ["arrived", "later"]);
  assert.equal(maxRunning, 1);
});
