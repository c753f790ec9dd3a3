import assert from "node:assert/strict";
import { test } from "node:test";
import { PageCache } from "./page-cache.ts";

const page = (text: string) => ({
  fetched: { url: new URL("https://a/"), contentType: "text/plain", body: Buffer.from(text) },
  texts: new Map(),
});

function cacheAt(limits: ConstructorParameters<typeof PageCache>[1]) {
  const time = { now: 0 };
  return {
    time,
    cache: new PageCache(
      { now: () => time.now, monotonic: () => time.now, after: () => () => {} },
      limits,
    ),
  };
}

test("the least recently used page is evicted first", () => {
  const { cache } = cacheAt({ pages: 2 });
  cache.set("a", page("a"));
  cache.set("b", page("b"));
  cache.get("a");
  cache.set("c", page("c"));
  assert.equal(cache.get("b"), undefined);
  assert.equal(String(cache.get("a")?.fetched.body), "a");
});

test("the number of bytes is limited, and a page that is too large is not cached", () => {
  const { cache } = cacheAt({ bytes: 10 });
  cache.set("a", page("12345"));
  cache.set("a", page("123456"));
  cache.set("b", page("1234"));
  assert.ok(cache.get("a") && cache.get("b"));
  cache.set("c", page("1"));
  assert.equal(cache.get("a"), undefined);
  cache.set("d", page("12345678901"));
  assert.equal(cache.get("d"), undefined);
  assert.ok(cache.get("b"));
});

test("a page expires", () => {
  const { cache, time } = cacheAt({ ageMs: 100 });
  cache.set("a", page("a"));
  time.now = 99;
  assert.ok(cache.get("a"));
  time.now = 100;
  assert.equal(cache.get("a"), undefined);
});
