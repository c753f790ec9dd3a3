import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { createByteBudget } from "./byte-budget.ts";

const { signal } = new AbortController();

test("users get bytes in round-robin order, within the budget", async () => {
  const budget = createByteBudget(10);
  const order: string[] = [];
  const frees: (() => void)[] = [];
  const take = (user: string, bytes: number) =>
    budget.take(user, bytes, signal).then((free) => {
      order.push(`${user} ${bytes}`);
      frees.push(free);
    });
  const takes = [take("a", 8), take("a", 7), take("a", 20), take("b", 4), take("b", 1)];
  await nextTurn();
  assert.deepEqual(order, ["a 8"]);
  while (order.length < 5) {
    frees.shift()?.();
    await nextTurn();
  }
  await Promise.all(takes);
  // 20 bytes exceed the budget and wait until all are free.
  assert.deepEqual(order, ["a 8", "a 7", "b 4", "a 20", "b 1"]);
});

test("work that is stopped while it waits does not block others", async () => {
  const budget = createByteBudget(10);
  const free = await budget.take("a", 10, signal);
  const stopping = new AbortController();
  const stopped = budget.take("a", 10, stopping.signal);
  const next = budget.take("b", 1, signal);
  stopping.abort(new Error("stopped"));
  await assert.rejects(stopped, /stopped/);
  free();
  (await next)();
  await assert.rejects(budget.take("a", 1, stopping.signal), /stopped/);
});
