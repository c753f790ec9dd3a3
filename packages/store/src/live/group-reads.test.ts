import assert from "node:assert/strict";
import { test } from "node:test";
import { groupReads } from "./group-reads.ts";

test("the reads of a group run together, and the groups of an owner one after another", async () => {
  const inGroup = groupReads();
  const running = new Set<string>();
  const order: string[] = [];
  const read = (owner: string, group: string) =>
    inGroup(owner, group, async () => {
      order.push(owner + group);
      running.add(owner + group);
      const groups = [...running].filter((name) => name.startsWith(owner));
      assert.deepEqual(groups, [owner + group]);
      await new Promise(setImmediate);
      running.delete(owner + group);
      return owner + group;
    });
  const asked = ["a1", "a2", "a3", "a2", "a3", "b1", "a2"];
  const found = await Promise.all(asked.map(([owner = "", group = ""]) => read(owner, group)));
  assert.deepEqual(found, asked);
  assert.deepEqual(order.slice(0, 2), ["a1", "b1"]);
  assert.deepEqual(order.slice(2), ["a2", "a2", "a2", "a3", "a3"]);
});

test("a failed read fails its caller and no other read", async () => {
  const inGroup = groupReads();
  const results = await Promise.allSettled([
    inGroup("a", "1", () => Promise.reject(new Error("corrupt"))),
    inGroup("a", "1", () => Promise.resolve(1)),
    inGroup("a", "2", () => Promise.resolve(2)),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
});
