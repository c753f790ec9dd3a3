import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "./id.ts";

test("an id is its prefix and 25 letters or digits, different each time", () => {
  const ids = Array.from({ length: 2_000 }, () => newId("call_"));
  for (const id of ids) assert.match(id, /^call_[0-9a-z]{25}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test("all letters are equally likely", () => {
  const counts = new Map<string, number>();
  const all = Array.from({ length: 8_000 }, () => newId("")).join("");
  for (const letter of all) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  assert.equal(counts.size, 32);
  const expected = all.length / 32;
  // The tolerance is nine standard deviations.
  for (const [letter, count] of counts)
    assert.ok(Math.abs(count - expected) < 9 * Math.sqrt(expected), `${letter}: ${count}`);
});
