import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { diffText } from "./diff-text.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "-d", "@@ -1 +1 @@", ""), { maxLength: 25 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));

test("applying the hunks of a diff to the old text gives the new text", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, text, async (start, was, is, end) => {
      const [before, after] = [start + was + end, start + is + end];
      const hunks = await diffText(before, after);
      if (hunks === undefined) return assert.equal(before, after);
      checkPlaces(before, hunks);
      const options = { autoConvertLineEndings: false, fuzzFactor: 0 };
      assert.equal(applyPatch(before, `--- a\n+++ a\n${hunks}\n`, options), after);
    }),
    { numRuns: 300 },
  );
});

/** Checks the line numbers of the hunks, because `applyPatch` may apply a hunk at other lines. */
function checkPlaces(before: string, hunks: string): void {
  const lines = before.split("\n");
  let at = 0;
  for (const line of hunks.split("\n")) {
    const header = /^@@ -(\d+)(,0)?/.exec(line);
    if (header !== null) at = Number(header[1]) - (header[2] === undefined ? 1 : 0);
    else if (/^[ -]/.test(line)) assert.equal(lines[at++], line.slice(1), hunks);
  }
}
