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

/** Loads the table, and returns the longest turn's share of the processor time. */
async function longestShare(): Promise<number> {
  let longest = 0;
  const { user: begun } = process.threadCpuUsage();
  let last = begun;
  const measure = (): void => {
    const { user } = process.threadCpuUsage();
    longest = Math.max(longest, user - last);
    last = user;
  };
  const watch = setInterval(measure, 0);
  await loadRanks();
  clearInterval(watch);
  measure();
  return longest / (last - begun);
}

test("loads the table without blocking the event loop", async () => {
  // Shares of the same load do not depend on the speed of the machine. A pause of the garbage
  // collector can make one turn long.
  const shares = [await longestShare(), await longestShare(), await longestShare()];
  assert.ok(Math.min(...shares) < 0.5, `${shares.join(", ")} of the load in one turn`);
});
