import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { createCommitQueue } from "./commit-queue.ts";

test("what gathers while a commit is under way goes into the next one, in order", async () => {
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
  gates.shift()?.();
  assert.deepEqual(await Promise.all(later), [20, 30]);
  assert.deepEqual(batches, [[1], [2, 3]]);
});

test("what follows from one thing shares a commit", async () => {
  const batches: (readonly number[])[] = [];
  const queue = createCommitQueue<number, number>({
    commit: async (batch) => {
      batches.push(batch);
      return batch;
    },
    settle: (_, result) => result,
  });
  void queue.submit(1);
  for (let step = 0; step < 10; step++) await Promise.resolve();
  await queue.submit(2);
  assert.deepEqual(batches, [[1, 2]]);
});

test("what waits for the next commit is asked right before it, and is part of it", async () => {
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
  let said = 1;
  queue.beforeNext(() => void queue.submit(said));
  said = 2;
  await endOfTurn();
  queue.beforeNext(() => void queue.submit(said));
  said = 3;
  const last = queue.submit(4);
  gate.resolve();
  await last;
  await queue.drained();
  assert.deepEqual(batches, [[2], [4, 3]]);
});

test("a commit that fails rejects its own calls, and the queue goes on", async () => {
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
  assert.deepEqual(settled, [undefined, 2], "whoever keeps count hears of both");
});

test("draining waits for what was given", async () => {
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
