import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Slots } from "./dispatcher.ts";

const run = (owner: string, n: number) => ({ owner, id: `${owner}${n}` });

// Contract: durability-19
test("a thousand runs of one principal do not delay another's first run", () => {
  const slots = new Slots({ runsAtOnce: 4, runsOfOne: 4 });
  const many = Array.from({ length: 1_000 }, (_, n) => run("many", n));
  const next = slots.next([...many, run("one", 0)]);
  assert.deepEqual(
    next.map(({ id }) => id),
    ["many0", "one0", "many1", "many2"],
  );
});

test("the principal with the fewest slots is next, and none gets more than its share", () => {
  const slots = new Slots({ runsAtOnce: 10, runsOfOne: 3 });
  for (const id of ["a1", "a2"]) assert.ok(slots.acquire(id, "a"));
  const waiting = [run("a", 3), run("a", 4), run("b", 1), run("b", 2), run("b", 3), run("b", 4)];
  const next = slots.next(waiting).map(({ id }) => id);
  assert.deepEqual(next, ["b1", "b2", "a3", "b3"]);
});

test("a transferred slot belongs to the new run and is counted for the same principal", () => {
  const slots = new Slots({ runsAtOnce: 1, runsOfOne: 1 });
  assert.ok(slots.acquire("question", "a"));
  slots.transfer("question", "a1");
  slots.release("question");
  assert.deepEqual([slots.free, slots.usedBy("a")], [0, 1]);
  slots.release("a1");
  slots.transfer("a1", "a2");
  assert.deepEqual([slots.free, slots.usedBy("a")], [1, 0]);
});

test("no sequence of acquisitions and releases exceeds a limit or loses a slot", () => {
  const limits = { runsAtOnce: 5, runsOfOne: 2 };
  const step = fc.record({
    take: fc.boolean(),
    owner: fc.constantFrom("a", "b", "c", "d"),
    n: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const slots = new Slots(limits);
      const held = new Map<string, string>();
      for (const { take, owner, n } of steps) {
        const id = `${owner}${n}`;
        const ofOne = [...held.values()].filter((each) => each === owner).length;
        const room = held.has(id) || (held.size < limits.runsAtOnce && ofOne < limits.runsOfOne);
        if (take) {
          assert.equal(slots.acquire(id, owner), room);
          if (room) held.set(id, owner);
        } else {
          slots.release(id);
          held.delete(id);
        }
        assert.equal(slots.free, limits.runsAtOnce - held.size);
      }
    }),
  );
});
