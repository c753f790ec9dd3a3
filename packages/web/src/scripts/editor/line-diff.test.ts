import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DiffLine, lineDiff } from "./line-diff.ts";

const signs = { same: " ", removed: "-", added: "+" } as const;

function shown(lines: readonly DiffLine[]): readonly string[] {
  return lines.map((line) =>
    line.type === "skipped" ? `… ${line.count}` : `${signs[line.type]}${line.text}`,
  );
}

test("changed, added and removed lines are marked", () => {
  assert.deepEqual(shown(lineDiff("a\nb\nc", "a\nx\nc\nd")), [" a", "-b", "+x", " c", "+d"]);
  assert.deepEqual(shown(lineDiff("", "a")), ["-", "+a"]);
  assert.deepEqual(lineDiff("a", "a"), []);
});

test("only some equal lines around a change are shown", () => {
  const lines = Array.from({ length: 20 }, (_, n) => `${n}`);
  const changed = lines.with(10, "x");
  assert.deepEqual(shown(lineDiff(lines.join("\n"), changed.join("\n"))), [
    "… 7",
    " 7",
    " 8",
    " 9",
    "-10",
    "+x",
    " 11",
    " 12",
    " 13",
    "… 6",
  ]);
});

test("different line endings alone are not a difference", () => {
  assert.deepEqual(shown(lineDiff("a\r\nb", "a\nc")), [" a", "-b", "+c"]);
});

test("the diff contains both texts, each line with its number", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const lines = lineDiff(a.join("\n"), b.join("\n"));
      const skipped = lines.reduce((sum, one) => sum + (one.type === "skipped" ? one.count : 0), 0);
      const [before, after] = [a.join("\n").split("\n"), b.join("\n").split("\n")];
      let old = 0;
      let fresh = 0;
      for (const line of lines) {
        if (line.type === "same" || line.type === "removed") {
          assert.equal(before[line.before - 1], line.text);
          old++;
        }
        if (line.type === "same" || line.type === "added") {
          assert.equal(after[line.after - 1], line.text);
          fresh++;
        }
      }
      if (lines.length === 0) assert.deepEqual(before, after);
      else assert.deepEqual([old + skipped, fresh + skipped], [before.length, after.length]);
    }),
  );
});

test("texts without a line in common are compared in little memory, however long", () => {
  const long = (letter: string) =>
    Array.from({ length: 5_000 }, (_, n) => `${letter}${n}`).join("\n");
  assert.equal(lineDiff(long("a"), long("b")).length, 10_000);
});
