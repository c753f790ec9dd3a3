import assert from "node:assert/strict";
import { test } from "node:test";
import { coalesceReads } from "./coalesce-reads.ts";

test("what is asked for in one turn, or while something is under way, is done together and in order", async () => {
  const lots: (readonly number[])[] = [];
  const under: PromiseWithResolvers<void>[] = [];
  const double = coalesceReads(async (numbers: readonly number[]) => {
    lots.push(numbers);
    const own = Promise.withResolvers<void>();
    under.push(own);
    await own.promise;
    return numbers.map((n) => n * 2);
  });
  const first = [double(1), double(2)];
  await new Promise((resolve) => setImmediate(resolve));
  const second = [double(3), double(4), double(5)];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(lots, [[1, 2]]);
  under[0]?.resolve();
  assert.deepEqual(await Promise.all(first), [2, 4]);
  under[1]?.resolve();
  assert.deepEqual(await Promise.all(second), [6, 8, 10]);
  assert.deepEqual(lots, [
    [1, 2],
    [3, 4, 5],
  ]);
});

test("what fails together is done again one by one, and fails who asked for it alone", async () => {
  const lots: (readonly string[])[] = [];
  const same = coalesceReads(async (texts: readonly string[]) => {
    lots.push(texts);
    if (texts.includes("bad")) throw new Error("no");
    return texts;
  });
  const [good, bad] = await Promise.allSettled([same("good"), same("bad")]);
  assert.deepEqual(good, { status: "fulfilled", value: "good" });
  assert.equal(bad.status, "rejected");
  assert.deepEqual(lots, [["good", "bad"], ["good"], ["bad"]]);
  assert.equal(await same("next"), "next");
});
