import assert from "node:assert/strict";
import { test } from "node:test";
import { gather } from "./gather.ts";

test("what is asked for in one turn, or while something is under way, is done together and in order", async () => {
  const lots: (readonly number[])[] = [];
  const under: PromiseWithResolvers<void>[] = [];
  const double = gather(async (numbers: readonly number[]) => {
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

test("what fails fails those who asked for it together, and the next lot goes on", async () => {
  let fails = true;
  const same = gather(async (texts: readonly string[]) => {
    if (fails) throw new Error("no");
    return texts;
  });
  const failed = await Promise.allSettled([same("a"), same("b")]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  fails = false;
  assert.equal(await same("c"), "c");
});
