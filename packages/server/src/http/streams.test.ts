import assert from "node:assert/strict";
import { test } from "node:test";
import { eventStream, nextTurn } from "./streams.ts";

test("a stream releases its source if its heartbeat fails", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const never = new Promise<IteratorResult<string>>(() => {});
  const chunks = {
    [Symbol.asyncIterator]: () => ({
      next: () => never,
      return: () => {
        resolve("closed");
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  const left: string[] = [];
  const { body } = eventStream({
    chunks,
    idleMs: 1,
    onIdle: () => {
      throw new Error("the store is closed");
    },
    onLeave: () => left.push("left"),
  });
  await assert.rejects(Array.fromAsync(body ?? []), /the store is closed/);
  assert.equal(await closed, "closed");
  assert.deepEqual(left, ["left"]);
});

/** Blocks the event loop for some milliseconds. */
function work(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}

test("many waiting readers share a turn of the event loop, and other work runs between their turns", async () => {
  let longest = 0;
  let worked = 0;
  const step = () => {
    longest = Math.max(longest, worked);
    worked = 0;
    if (left > 0) setImmediate(step);
  };
  let left = 50;
  step();
  await Promise.all(
    Array.from({ length: left }, async () => {
      for (let n = 0; n < 3; n++) {
        await nextTurn();
        work(3);
        worked += 3;
      }
      left -= 1;
    }),
  );
  assert.ok(longest <= 30, `a turn had ${longest} ms of work`);
});

test("the work of an admitted caller counts, even if it comes after several promise jobs", async () => {
  let [longest, worked, left] = [0, 0, 30];
  const step = () => {
    longest = Math.max(longest, worked);
    worked = 0;
    if (left > 0) setImmediate(step);
  };
  step();
  await Promise.all(
    Array.from({ length: left }, async () => {
      await nextTurn();
      for (let n = 0; n < 200; n++) await Promise.resolve();
      work(3);
      worked += 3;
      left -= 1;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(longest <= 30, `a turn had ${longest} ms of work`);
});

test("streams that get an event at the same moment do not all write in one turn", async () => {
  const commit = Promise.withResolvers<void>();
  async function* chunks() {
    await commit.promise;
    yield "data: 1\n\n";
  }
  let [longest, worked, left] = [0, 0, 30];
  const readers = Array.from({ length: left }, async () => {
    const options = { chunks: chunks(), idleMs: 60_000, onIdle: () => undefined };
    const reader = eventStream(options).body?.getReader();
    await reader?.read();
    work(3);
    worked += 3;
    left -= 1;
    await reader?.cancel();
  });
  await new Promise((resolve) => setImmediate(resolve));
  commit.resolve();
  const step = () => {
    longest = Math.max(longest, worked);
    worked = 0;
    if (left > 0) setImmediate(step);
  };
  step();
  await Promise.all(readers);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(longest <= 30, `a turn had ${longest} ms of work`);
});
