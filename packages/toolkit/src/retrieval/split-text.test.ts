import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { estimateChunkTokens, splitText } from "./split-text.ts";

const split = (text: string, maxTokens = 100, overlapTokens = 0) =>
  [...splitText(text, { maxTokens, overlapTokens })].filter((part) => part !== undefined);

test("parts begin at headings and have their heading, page and lines", () => {
  const text = [
    "## Page 1",
    "",
    "# Intro",
    "",
    "word ".repeat(60),
    "",
    "## Page 2",
    "",
    "# Terms",
    "",
    "The notice period is three months.",
  ].join("\n");
  assert.deepEqual(
    split(text).map(({ place, text: part }) => [place, part.slice(0, 7)]),
    [
      [{ startLine: 3, endLine: 5, page: 1, heading: "Intro" }, "# Intro"],
      [{ startLine: 9, endLine: 11, page: 2, heading: "Terms" }, "# Terms"],
    ],
  );
});

test("the next part repeats the end of a part", () => {
  const paragraphs = Array.from({ length: 6 }, (_, n) => `${n} ${"x".repeat(158)}`);
  const parts = split(paragraphs.join("\n\n"), 100, 50).map(({ text }) =>
    text
      .split("\n\n")
      .map((each) => each[0])
      .join(""),
  );
  assert.deepEqual(parts, ["01", "12", "23", "34", "45"]);
});

test("a heading in a code block is not a heading", () => {
  const [part] = split("```sh\n# comment\n\nls\n```");
  assert.deepEqual(part?.place, { startLine: 1, endLine: 5 });
});

test("parts stay within the limit and contain the whole text", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ maxLength: 300 }),
          fc.constantFrom("# A", "```", "", "漢字".repeat(400), "a ".repeat(900), "😀".repeat(700)),
        ),
      ),
      fc.integer({ min: 100, max: 400 }),
      (lines, maxTokens) => {
        const text = lines.join("\n");
        for (const part of split(text, maxTokens, Math.floor(maxTokens / 2)))
          assert.ok(estimateChunkTokens(part.text) <= maxTokens + 60, `${part.text.length}`);
        const parts = split(text, maxTokens).map((part) => part.text);
        assert.equal(parts.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
      },
    ),
  );
});

test("a text of 5 million characters without a line break is divided quickly", () => {
  const began = process.cpuUsage();
  assert.ok(split("lorem ".repeat(900_000), 800).length > 1_000);
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});

for (const [what, text] of [
  ["spaces after a number sign", `#${" ".repeat(400_000)}x\ry`],
  ["number signs", "#".repeat(2_000_000)],
  ["spaces", " ".repeat(2_000_000)],
] as const)
  test(`a long line of ${what} takes linear time`, () => {
    const began = process.cpuUsage();
    split(text);
    assert.ok(process.cpuUsage(began).user < 10_000_000);
  });

test("the caller can pause between blank lines", () => {
  const pauses = [...splitText("\n".repeat(5_000), { maxTokens: 100, overlapTokens: 0 })];
  assert.deepEqual(pauses, [undefined, undefined, undefined, undefined, undefined]);
});
