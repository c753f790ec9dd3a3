import assert from "node:assert/strict";
import { test } from "node:test";
import { LruCache } from "./lru-cache.ts";

test("a cache with sizes evicts the least recently used values until the rest fits", () => {
  const cache = new LruCache<string, { readonly size: number }>(10, ({ size }) => size);
  cache.set("a", { size: 4 });
  cache.set("b", { size: 4 });
  assert.ok(cache.get("a"));
  cache.set("c", { size: 4 });
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key) !== undefined),
    [true, false, true],
  );
  cache.set("c", { size: 1 });
  cache.set("d", { size: 5 });
  assert.ok(cache.get("a"));
  cache.set("e", { size: 11 });
  assert.deepEqual(
    ["a", "c", "d", "e"].map((key) => cache.get(key)),
    [undefined, undefined, undefined, undefined],
  );
});
