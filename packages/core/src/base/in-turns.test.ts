import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inTurns } from "./in-turns.ts";

test("steps that take long let other work run between them", async () => {
  const order: string[] = [];
  function* steps(): Generator<void, string> {
    for (let n = 1; n <= 3; n++) {
      const end = performance.now() + 25;
      while (performance.now() < end);
      order.push(`step ${n}`);
      setImmediate(() => order.push("other work"));
      yield;
    }
    return "done";
  }
  assert.equal(await inTurns(steps(), { turnMs: 20, nextTurn }), "done");
  assert.deepEqual(order.slice(0, 4), ["step 1", "other work", "step 2", "other work"]);
});
