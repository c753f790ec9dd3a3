import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ListNode, LinkedList } from "./linked-list.ts";

test("a linked list has the values that were appended and not removed, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (steps) => {
      const list = new LinkedList<number>();
      const nodes = new Map<number, ListNode<number>>();
      const expected = new Set<number>();
      for (const one of steps) {
        const node = nodes.get(one);
        if (expected.delete(one) && node !== undefined) {
          list.remove(node);
          list.remove(node);
        } else {
          expected.add(one);
          nodes.set(one, list.append(one));
        }
        assert.deepEqual(list.values(), [...expected]);
        assert.equal(list.size, expected.size);
      }
    }),
  );
});

test("removing nodes while iterating over the values skips none of them", () => {
  const list = new LinkedList<string>();
  const nodes = ["a", "b", "c"].map((value) => list.append(value));
  const seen: string[] = [];
  for (const value of list.values()) {
    seen.push(value);
    for (const node of nodes) list.remove(node);
  }
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(list.size, 0);
});
