import assert from "node:assert/strict";
import { test } from "node:test";
import { HistoryBudget } from "./history-budget.ts";

const megabyte = 1_000_000;
const limits = { bytesOfOne: 10 * megabyte, bytesAtOnce: 25 * megabyte };

/** A budget, and the runs that it has admitted, in order. */
function budgetOf() {
  const budget = new HistoryBudget(limits);
  const admitted: string[] = [];
  const acquire = (id: string, owner: string, megabytes: number): void => {
    const wait = budget.acquire({ id, owner, bytes: megabytes * megabyte });
    if (wait === undefined) admitted.push(id);
    else void wait.then(() => admitted.push(id));
  };
  const release = async (id: string) => {
    budget.release(id);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { acquire, release, admitted };
}

test("the histories of one principal wait in order for its share, and others do not wait", async () => {
  const { acquire, release, admitted } = budgetOf();
  acquire("a1", "ann", 6);
  acquire("a2", "ann", 6);
  acquire("a3", "ann", 4);
  acquire("b1", "bob", 6);
  assert.deepEqual(admitted, ["a1", "b1"]);
  await release("a1");
  assert.deepEqual(admitted, ["a1", "b1", "a2", "a3"]);
});

test("a history that alone is over the share is admitted if the principal has no other", async () => {
  const { acquire, release, admitted } = budgetOf();
  acquire("a1", "ann", 1);
  acquire("a2", "ann", 11);
  assert.deepEqual(admitted, ["a1"]);
  await release("a1");
  assert.deepEqual(admitted, ["a1", "a2"]);
});

test("a full server admits short histories only, and long ones in order", async () => {
  const { acquire, release, admitted } = budgetOf();
  for (const owner of ["ann", "bob"]) acquire(owner, owner, 10);
  acquire("cat", "cat", 8);
  acquire("dan", "dan", 1);
  acquire("eve", "eve", 0.01);
  assert.deepEqual(admitted, ["ann", "bob", "eve"]);
  await release("ann");
  assert.deepEqual(admitted, ["ann", "bob", "eve", "cat", "dan"]);
});

test("a released run no longer waits, and releasing twice frees its bytes once", async () => {
  const { acquire, release, admitted } = budgetOf();
  acquire("a1", "ann", 8);
  acquire("a2", "ann", 8);
  acquire("a3", "ann", 8);
  await release("a2");
  assert.deepEqual(admitted, ["a1", "a2"]);
  await release("a1");
  await release("a1");
  acquire("a4", "ann", 8);
  assert.deepEqual(admitted, ["a1", "a2", "a3"]);
});
