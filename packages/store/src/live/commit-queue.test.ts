import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
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
  await endOfTurn();
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

/** A queue whose commits end when they are let. */
function heldQueue(takesAll: boolean) {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const queue = createCommitQueue<number, number>({
    takesAll,
    commit: async (batch) => {
      batches.push(batch);
      await new Promise<void>((resolve) => gates.push(resolve));
      return batch;
    },
    settle: (_, result) => result,
  });
  const told: number[] = [];
  const submitInOneTurn = async (...calls: readonly number[]) => {
    for (const each of calls) void queue.submit(each).then((value) => told.push(value));
    await endOfTurn();
  };
  return { queue, batches, gates, told, submitInOneTurn };
}

test("what is given beside a commit is told after it", async () => {
  const { queue, gates, told, submitInOneTurn } = heldQueue(true);
  await submitInOneTurn(1);
  await submitInOneTurn(2);
  assert.equal(gates.length, 2);
  gates[1]?.();
  await endOfTurn();
  assert.deepEqual(told, []);
  gates[0]?.();
  await queue.drained();
  assert.deepEqual(told, [1, 2]);
});

test("beside a commit, more is given when it makes what lies there a quarter larger", async () => {
  const { queue, batches, gates, submitInOneTurn } = heldQueue(true);
  for (const each of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await submitInOneTurn(each);
  assert.deepEqual(batches, [[1], [2], [3], [4], [5], [6], [7, 8]]);
  for (const end of gates) end();
  await endOfTurn();
  await endOfTurn();
  assert.deepEqual(batches.slice(7), [[9]], "what is done takes what lies there with it");
  gates.at(-1)?.();
  await queue.drained();
});

test("a writer that does not take all is given one commit at a time", async () => {
  const { queue, batches, gates, submitInOneTurn } = heldQueue(false);
  for (const each of [1, 2, 3]) await submitInOneTurn(each);
  assert.deepEqual(batches, [[1]]);
  gates[0]?.();
  await endOfTurn();
  await endOfTurn();
  assert.deepEqual(batches, [[1], [2, 3]]);
  gates[1]?.();
  await queue.drained();
});

test("of a large commit the first may go on before the last have heard of it", async () => {
  const batches: number[] = [];
  const heard: number[] = [];
  const queue = createCommitQueue<number, number>({
    takesAll: true,
    commit: async (batch) => {
      batches.push(batch.length);
      if (batches.length === 2) assert.ok(heard.length < 100, `${heard.length} have heard`);
      return batch;
    },
    settle: (_, result) => result,
  });
  const all = Array.from({ length: 100 }, async (_, n) => {
    heard.push(await queue.submit(n));
    if (n === 0) await queue.submit(1_000);
  });
  await Promise.all(all);
  assert.deepEqual(batches, [100, 1]);
  assert.deepEqual(
    heard,
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test("those who were told apart stay apart: while some wait for the writer, others go on", async () => {
  const { port1, port2 } = new MessageChannel();
  const written: (() => void)[] = [];
  port2.on("message", () => written.shift()?.());
  const batches: number[] = [];
  const queue = createCommitQueue<number, number>({
    takesAll: true,
    // As a thread answers: by a message, between two turns of the event loop.
    commit: async (batch) => {
      batches.push(batch.length);
      await new Promise<void>((resolve) => {
        written.push(resolve);
        port1.postMessage("");
      });
      return batch;
    },
    settle: (_, result) => result,
  });
  const all = Array.from({ length: 32 }, async (_, n) => {
    for (let step = 0; step < 6; step++) await queue.submit(n);
  });
  await Promise.all(all);
  port1.close();
  assert.deepEqual(batches, [32, ...Array.from({ length: 10 }, () => 16)]);
});

test("what is submitted as a commit begins goes with it, and none begins beside it", async () => {
  const batches: string[][] = [];
  let underWay = 0;
  let most = 0;
  const queue = createCommitQueue<string, string>({
    commit: async (batch) => {
      batches.push([...batch]);
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      return batch;
    },
    settle: (_, result) => result,
  });
  queue.beforeNext(() => void queue.submit("arrived"));
  await new Promise((resolve) => setImmediate(resolve));
  void queue.submit("later");
  await queue.drained();
  assert.deepEqual(batches, [["arrived"], ["later"]]);
  assert.equal(most, 1);
});
