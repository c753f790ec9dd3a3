import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommitSize } from "./commit-size.ts";

test("commits get smaller on a slow machine, and larger on a fast one, within limits", async () => {
  let now = 0;
  const size = createCommitSize(() => now);
  const after = async (msOfRow: number, times: number) => {
    for (let n = 0; n < times; n++)
      await size.measure(async () => {
        now += msOfRow * size.rows;
      });
    return size.rows;
  };
  assert.equal(await after(0, 50), 64);
  const slow = await after(5, 50);
  assert.ok(5 * slow <= 40, `${slow} rows of 5 ms`);
  assert.equal(await after(1_000, 50), 4);
  assert.equal(await after(0, 50), 64);
});
