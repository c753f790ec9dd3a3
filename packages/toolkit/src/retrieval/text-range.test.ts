import assert from "node:assert/strict";
import { test } from "node:test";
import { textRange, type WantedRange } from "./text-range.ts";

const { signal } = new AbortController();
const pages = "## Page 1\r\n\r\none\r\n## Page 2\r\ntwo\r\n## Page 3\r\nthree\r\n";

const cases: readonly (readonly [WantedRange, string | undefined, string?])[] = [
  [{ startPage: 2, endPage: 2 }, "## Page 2\ntwo"],
  [{ startPage: 2 }, "## Page 2\ntwo\n## Page 3\nthree"],
  [{ endPage: 1 }, "## Page 1\n\none"],
  [{ startPage: 4 }, "", "it has 3 pages"],
  [{ startLine: 3, endLine: 4 }, "one\n## Page 2"],
  [{ startLine: 7 }, "three\n"],
  [{ startLine: 9 }, "", "it has 8 lines"],
];
for (const [wanted, text, error] of cases)
  test(`${JSON.stringify(wanted)} of a text with three pages`, async () => {
    const found = await textRange(pages, wanted, signal);
    assert.deepEqual([found.text, found.error, found.lines, found.pages], [text, error, 8, 3]);
  });

test("a range of pages is an error if the text has no pages", async () => {
  const { error } = await textRange("a\nb", { startPage: 1 }, signal);
  assert.equal(error, "it has no pages; give startLine and endLine");
});

test("reading a text of many lines does not block the event loop", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { lines } = await textRange("\n".repeat(10_000_000), { startLine: 9_000_000 }, signal);
  clearInterval(timer);
  assert.equal(lines, 10_000_001);
  assert.ok(turns > 3, `${turns} turns`);
});

test("aborting the signal stops the reading of a long text", async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error("stopped")));
  const reading = textRange("\n".repeat(30_000_000), {}, controller.signal);
  await assert.rejects(reading, { message: "stopped" });
});
