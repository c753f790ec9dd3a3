import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ReclaimingMap } from "./reclaiming-map.ts";

test("it holds what a Map would, in its order, whatever is set and deleted", () => {
  const step = fc.record({ key: fc.nat({ max: 5 }), value: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = new ReclaimingMap<number, number>();
      const expected = new Map<number, number>();
      for (const { key, value } of steps) {
        if (value === null) {
          map.delete(key);
          expected.delete(key);
        } else {
          map.set(key, value);
          expected.set(key, value);
        }
        assert.deepEqual([...map], [...expected]);
        assert.deepEqual([...map.keys()], [...expected.keys()]);
        assert.deepEqual([...map.values()], [...expected.values()]);
        assert.equal(map.size, expected.size);
        assert.equal(map.has(key), expected.has(key));
        assert.equal(map.get(key), expected.get(key));
      }
    }),
  );
});
