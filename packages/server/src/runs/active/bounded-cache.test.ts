import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BoundedCache } from "./bounded-cache.ts";

const keys = ["a", "b", "c", "d", "e"];

test("what was put in last is there, as far as number and bytes allow, whatever is put in and dropped", () => {
  const step = fc.record({
    key: fc.constantFrom(...keys),
    /** Nothing: it is dropped. */
    bytes: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), fc.nat({ max: 4 }), (steps, maxEntries) => {
      const cache = new BoundedCache<number>({ maxEntries, maxBytes: 10 });
      let expected: { readonly key: string; readonly bytes: number; readonly n: number }[] = [];
      for (const [n, { key, bytes }] of steps.entries()) {
        expected = expected.filter((entry) => entry.key !== key);
        if (bytes === undefined) cache.delete(key);
        else {
          cache.set(key, n, bytes);
          if (bytes <= 10) expected.push({ key, bytes, n });
        }
        const sum = () => expected.reduce((all, entry) => all + entry.bytes, 0);
        while (expected.length > maxEntries || sum() > 10) expected.shift();
        const there = keys.map((known) => cache.get(known));
        assert.deepEqual(
          there,
          keys.map((known) => expected.find((entry) => entry.key === known)?.n),
        );
      }
    }),
  );
});

test("what is too large for all the room puts nothing else out", () => {
  const cache = new BoundedCache<string>({ maxEntries: 2, maxBytes: 10 });
  cache.set("a", "small", 1);
  cache.set("b", "large", 11);
  assert.deepEqual([cache.get("a"), cache.get("b")], ["small", undefined]);
});
