import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens as referenceCount } from "gpt-tokenizer/encoding/o200k_base";
import { countWithRanks, loadRanks, readRanks } from "./o200k.ts";

const ranks = readRanks();
const asPlainText = { disallowedSpecial: new Set<string>() };

test("counts any text as gpt-tokenizer does", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom(
      "Heave away! ",
      "don't ",
      "DON'T ",
      "\r\n\r\n",
      "   ",
      "1234567",
      "漢字かな",
      "👩‍👩‍👧",
      "ß́",
      "//==",
      "\t",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      assert.equal(countWithRanks(text, ranks), referenceCount(text, asPlainText));
    }),
    { numRuns: 300 },
  );
});

test("loads the whole table in slices", async () => {
  assert.deepEqual(await loadRanks(), ranks);
});

test("loads the table without blocking the event loop", async () => {
  let longest = 0;
  let { user: last } = process.threadCpuUsage();
  const watch = setInterval(() => {
    const { user } = process.threadCpuUsage();
    longest = Math.max(longest, user - last);
    last = user;
  }, 0);
  await loadRanks();
  clearInterval(watch);
  // Measure processor time, so that other load on the machine does not count.
  assert.ok(longest / 1_000 < 50, `${longest / 1_000} ms`);
});
