import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRef } from "@capstan/store";
import { openBullQueue } from "./bull-queue.ts";
import type { RunQueue } from "./run-queue.ts";
import { findRedis, startRedis, type TestRedis } from "../../testing/redis-server.ts";

const redis = findRedis();
const options = { skip: redis.status === "missing" && redis.reason };

const waiting = (id: string): RunRef => ({ id, owner: "local", status: "queued", epoch: 0 });

/** A node with free slots, and the runs that it received. */
class Node implements AsyncDisposable {
  readonly taken: RunRef[] = [];
  readonly lines: string[] = [];
  woken = 0;
  hasFreeSlot = true;
  /** The number of runs at which the node has no free slot. */
  most = Infinity;
  readonly queue: RunQueue;

  constructor({ url }: Pick<TestRedis, "url">) {
    const consumer = {
      hasFreeSlot: () => this.hasFreeSlot,
      freeSlot: async (signal: AbortSignal) => {
        while (!this.hasFreeSlot && !signal.aborted) await turn();
      },
      claim: async (run: RunRef) => {
        this.taken.push(run);
        if (this.taken.length >= this.most) this.hasFreeSlot = false;
      },
      wake: async () => void (this.woken += 1),
    };
    this.queue = openBullQueue({ url, consumer, log: (line) => this.lines.push(line) });
  }

  [Symbol.asyncDispose]() {
    return this.queue.close();
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

// Contract: durability-80
test(
  "each run is delivered to exactly one node, and only to a node with a free slot",
  options,
  async () => {
    await using server = await startRedis();
    await using one = new Node(server);
    await using other = new Node(server);
    await using full = new Node(server);
    full.hasFreeSlot = false;
    await until(() => one.queue.isUp && other.queue.isUp);
    const ids = Array.from({ length: 20 }, (_, n) => `r${n}`);
    one.queue.offer(ids.map(waiting));
    await until(() => one.taken.length + other.taken.length >= 20);
    const taken = [...one.taken, ...other.taken];
    assert.deepEqual(taken.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.deepEqual(taken[0], waiting(taken[0]!.id));
    assert.deepEqual(full.taken, []);
  },
);

test("a node without a free slot leaves the next job to other nodes", options, async () => {
  await using server = await startRedis();
  await using one = new Node(server);
  one.most = 2;
  await until(() => one.queue.isUp);
  one.queue.offer(["a", "b", "c", "d"].map(waiting));
  await until(() => one.taken.length >= 2);
  await using other = new Node(server);
  await until(() => one.taken.length + other.taken.length >= 4);
  assert.deepEqual(
    [one, other].map(({ taken }) => taken.map(({ id }) => id)),
    [
      ["a", "b"],
      ["c", "d"],
    ],
  );
});

test("runs that are offered while a node closes reach the other nodes", options, async () => {
  await using server = await startRedis();
  await using other = new Node(server);
  const closing = new Node(server);
  closing.hasFreeSlot = false;
  await until(() => closing.queue.isUp);
  closing.queue.offer([waiting("a")]);
  await until(() => other.taken.length > 0);
  closing.queue.offer([waiting("b")]);
  closing.queue.offer([waiting("c")]);
  await closing.queue.close();
  await until(() => other.taken.length >= 3);
  assert.deepEqual(
    other.taken.map(({ id }) => id),
    ["a", "b", "c"],
  );
});

test("a run that waits in the queue is not added twice", options, async () => {
  await using server = await startRedis();
  await using node = new Node(server);
  node.hasFreeSlot = false;
  await until(() => node.queue.isUp);
  for (let n = 0; n < 5; n++) node.queue.offer([waiting("r")]);
  node.queue.offer([waiting("last")]);
  node.hasFreeSlot = true;
  await until(() => node.taken.some(({ id }) => id === "last"));
  assert.equal(node.taken.filter(({ id }) => id === "r").length, 1);
});

// Contract: durability-81
test("a deadline notifies one node", options, async () => {
  await using server = await startRedis();
  await using one = new Node(server);
  await using other = new Node(server);
  await until(() => one.queue.isUp && other.queue.isUp);
  const at = Date.now() + 100;
  assert.ok(one.queue.wakeAt(at));
  assert.ok(other.queue.wakeAt(at));
  await until(() => one.woken + other.woken > 0);
  one.queue.offer([waiting("after")]);
  await until(() => one.taken.length + other.taken.length > 0);
  assert.equal(one.woken + other.woken, 1);
});

// Contract: durability-78
test(
  "a node logs once that Redis is gone and once that it is back, and an empty Redis delivers runs again",
  options,
  async () => {
    await using server = await startRedis();
    await using node = new Node(server);
    await until(() => node.queue.isUp);
    await server.kill();
    await until(() => !node.queue.isUp);
    node.queue.offer([waiting("lost")]);
    assert.equal(node.queue.wakeAt(Date.now()), false);
    await server.start();
    await until(() => node.queue.isUp);
    node.queue.offer([waiting("r")]);
    await until(() => node.taken.length > 0);
    await server.empty();
    node.queue.offer([waiting("s")]);
    await until(() => node.taken.length > 1);
    assert.deepEqual(
      node.taken.map(({ id }) => id),
      ["r", "s"],
    );
    assert.match(node.lines.join("\n"), /^Redis cannot be reached \(\S.*\nRedis is back.*$/);
  },
);

// Contract: durability-78
test("a node starts without Redis, logs that, and can be stopped", options, async () => {
  const server = await startRedis();
  await server.kill();
  const node = new Node(server);
  await until(() => node.lines.length > 0);
  assert.equal(node.queue.isUp, false);
  await node.queue.close();
  assert.equal(node.lines.length, 1);
  assert.match(node.lines[0]!, /cannot be reached \(connect ECONNREFUSED/);
});

test("a node can be stopped after it has lost Redis", options, async () => {
  await using server = await startRedis();
  const node = new Node(server);
  await until(() => node.queue.isUp);
  await server.kill();
  await until(() => !node.queue.isUp);
  await node.queue.close();
});
