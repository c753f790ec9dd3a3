import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryStore } from "../journal/store.ts";
import { expireApprovals } from "./expire-approvals.ts";

test("a sweep that fails is not the last one", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const lines: string[] = [];
  let sweeps = 0;
  const runs = {
    store: openMemoryStore(),
    expireApprovals: async () => {
      sweeps++;
      if (sweeps === 1) throw new Error("The disk is full.");
    },
  };
  const stop = expireApprovals(runs, (line) => lines.push(line));
  await new Promise(setImmediate);
  context.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.deepEqual([sweeps, lines.length], [2, 1]);
  stop();
  context.mock.timers.tick(60 * 60_000);
  assert.equal(sweeps, 2);
});
