import assert from "node:assert/strict";
import { test } from "node:test";
import { costsOf, sum } from "./price.ts";

const segments = (...texts: readonly string[]) => texts.map((text) => ({ text, tokens: 100 }));

test("the longest prefix that an earlier request shares is read from the cache, and the rest is written", () => {
  const costs = costsOf([
    { segments: segments("tools", "a"), answered: 7 },
    { segments: segments("tools", "a", "b"), answered: 0 },
    { segments: segments("tools", "x", "b"), answered: 0 },
    { segments: segments("tools", "a", "b", "c"), answered: 0 },
  ]);
  assert.deepEqual(costs, [
    { tokens: 207, priced: 257 },
    { tokens: 300, priced: 20 + 125 },
    { tokens: 300, priced: 10 + 250 },
    { tokens: 400, priced: 30 + 125 },
  ]);
  assert.deepEqual(sum(costs), { tokens: 1_207, priced: 817 });
});
