import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurns } from "./take-turns.ts";

// Contract: durability-6
test("an owner's read waits for few reads of another owner, however many are queued", async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const inTurn = takeTurns(2);
  const read = (owner: string, n: number) =>
    inTurn(owner, () => {
      started.push(`${owner}${n}`);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = [1, 2, 3, 4, 5].map((n) => read("a", n));
  all.push(read("b", 1), read("b", 2));
  for (let n = 0; n < all.length; n++) {
    while (ends.length <= n) await Promise.resolve();
    ends[n]?.();
  }
  await Promise.all(all);
  assert.deepEqual(started, ["a1", "a2", "a3", "b1", "a4", "b2", "a5"]);
});

test("a failed read starts the next one", async () => {
  const inTurn = takeTurns(1);
  const failed = inTurn("a", () => Promise.reject(new Error("no")));
  const other = inTurn("a", async () => "read");
  await assert.rejects(failed, /no/);
  assert.equal(await other, "read");
});
