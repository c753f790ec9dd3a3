import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { takeLines } from "./take-lines.ts";

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield await Promise.resolve({ text });
}

const whole = { maxLength: 1000, countAfter: true };

test("joins lines that span chunks", async () => {
  const taken = await takeLines(pieces("a\nb", "b\r", "\nc"), {
    ...whole,
    startLine: 2,
    endLine: 2,
  });
  assert.deepEqual(taken, { text: "bb\r\n", startLine: 2, endLine: 2, totalLines: 3 });
});

test("an empty file has no lines, and a final line break adds none", async () => {
  assert.equal((await takeLines(pieces(), whole)).totalLines, 0);
  assert.equal((await takeLines(pieces("a\n"), whole)).totalLines, 1);
  assert.equal((await takeLines(pieces("\n\n"), whole)).totalLines, 2);
});

test("the limit truncates after a whole line, or inside a line that exceeds it", async () => {
  const lines = await takeLines(pieces("aaa\nbbb\nccc\n"), { maxLength: 9, countAfter: true });
  assert.deepEqual(lines, {
    text: "aaa\nbbb\n",
    startLine: 1,
    endLine: 2,
    totalLines: 3,
    cut: "after_line",
  });
  const line = await takeLines(pieces("a\nbb😀bbbbbb\n"), {
    startLine: 2,
    maxLength: 3,
    countAfter: true,
  });
  assert.deepEqual(line, { text: "bb", startLine: 2, endLine: 2, totalLines: 2, cut: "in_line" });
});

test("a large file is not read further after its range is complete", async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read++;
      yield await Promise.resolve({ text: "line\n" });
    }
  }
  const taken = await takeLines(endless(), {
    startLine: 2,
    endLine: 3,
    maxLength: 100,
    countAfter: false,
  });
  assert.equal(taken.text, "line\nline\n");
  assert.equal(taken.totalLines, undefined);
  assert.ok(read < 10);
});

test("joining consecutive ranges gives the text, for any chunks and any limit", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), maxLength: 40 });
  return fc.assert(
    fc.asyncProperty(
      fc.array(text),
      fc.nat({ max: 10 }),
      fc.integer({ min: 30, max: 60 }),
      async (texts, size, maxLength) => {
        const joined = texts.join("");
        const { totalLines } = await takeLines(pieces(...texts), {
          maxLength: 1e6,
          countAfter: true,
        });
        let again = "";
        for (let line = 1; line <= totalLines!;) {
          const taken = await takeLines(pieces(...texts), {
            startLine: line,
            endLine: line + size,
            maxLength,
            countAfter: true,
          });
          if (taken.cut === "in_line") return;
          again += taken.text;
          line = taken.endLine + 1;
        }
        assert.equal(again, joined);
      },
    ),
  );
});

test("a text of many short lines is truncated after a number of lines", async () => {
  const taken = await takeLines(pieces("\n".repeat(1_000), "end\n"), {
    startLine: 2,
    maxLength: 1_000_000,
    maxLines: 300,
    countAfter: true,
  });
  assert.deepEqual(
    [taken.text.length, taken.startLine, taken.endLine, taken.totalLines, taken.cut],
    [300, 2, 301, 1_001, "after_line"],
  );
});
