import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { truncate } from "./truncate.ts";

/** The text before and after the notice. */
function shown(whole: string, limit: number) {
  const { text, omitted, rest } = truncate(whole, limit);
  const head = whole.slice(0, rest.start);
  const tail = whole.slice(rest.start + rest.length);
  const notice = text.slice(head.length, text.length - tail.length);
  return { head, tail, notice, omitted, text };
}

const numbered = (n: number, line: (n: number) => string) =>
  Array.from({ length: n }, (_, index) => line(index)).join("\n");

// Contract: executor-188
test("a text that fits, or would not become shorter, is not truncated", () => {
  assert.equal(truncate("12345", 5).text, "12345");
  const text = "x".repeat(120);
  assert.deepEqual(truncate(text, 100), {
    text,
    omitted: 0,
    rest: { start: 120, length: 0 },
  });
});

// Contract: executor-115, executor-217
test("the notice states the length of the omitted text", () => {
  const { head, tail, notice, omitted } = shown("0123456789".repeat(1_000), 100);
  assert.equal(head.length, 80);
  assert.equal(tail.length, 20);
  assert.equal(omitted, 9_900);
  assert.equal(notice, "\n[... 9,900 characters omitted ...]\n");
});

// Contract: executor-45
test("for any text and limit, head, rest and tail are the full text, and no more than the limit is shown", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.array(fc.string({ unit: "grapheme", maxLength: 30 })).map((lines) => lines.join("\n")),
    fc.array(fc.string({ maxLength: 9 })).map((cells) => cells.join(",\n")),
    fc.json({ maxDepth: 3 }),
    fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 30 }).map((list) => JSON.stringify(list)),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 300 }), (whole, limit) => {
      const { head, tail, notice, omitted, text } = shown(whole, limit);
      assert.equal(text, head + notice + tail);
      assert.equal(head.length + omitted + tail.length, whole.length);
      if (omitted === 0) assert.equal(text, whole);
      // A character at the beginning of the tail is not split.
      else assert.ok(head.length + tail.length <= limit + 30);
      if (whole.isWellFormed()) assert.ok(text.isWellFormed());
    }),
    { numRuns: 300 },
  );
});

test("text is cut at a nearby end of a line", () => {
  const { head, tail } = shown(
    numbered(1_000, (n) => `line ${n}`),
    2_000,
  );
  assert.match(head, /^line 0\n(.*\n)*line \d+\n$/);
  assert.match(tail, /^line \d+\n(.*\n)*line 999$/);
});

// Contract: executor-115
test("a list is cut between its elements, even if they are long", () => {
  const list = Array.from({ length: 200 }, (_, id) => ({
    id,
    // An odd number of quotes, at the beginning and at the end.
    text: `${id % 199 === 0 ? '5" ' : ""}wide, [{,} \\ ${"long ".repeat(20)}`,
    tags: ["a", "b"],
  }));
  for (const [whole, open, close] of [
    [JSON.stringify(list), "", ""],
    [JSON.stringify(list, null, 2), "", ""],
    [JSON.stringify({ total: 200, items: list }), "", "}"],
    [JSON.stringify({ items: list, total: 200, done: true }), "", ""],
  ] as const) {
    const { head, tail } = shown(whole, 2_000);
    const list = head.slice(head.indexOf("["));
    const first = JSON.parse(`${open}${list.slice(0, -1)}]`) as { readonly id: number }[];
    assert.ok(first.length > 5);
    const end = tail.slice(0, tail.lastIndexOf("]") + 1);
    const last = JSON.parse(`[${end}`) as { readonly id: number }[];
    assert.equal(last.at(-1)?.id, 199, close);
    assert.ok(last.length > 0);
  }
});

test("lines of JSON are cut between lines", () => {
  const whole = numbered(300, (n) => JSON.stringify({ n, text: "some, words, ".repeat(9) }));
  const { head, tail } = shown(whole, 3_000);
  for (const line of [...head.trimEnd().split("\n"), ...tail.split("\n")]) JSON.parse(line);
});

// Contract: executor-115
test("a table is cut between its rows, even if they are long", () => {
  const cells = "words ".repeat(40);
  const table = `| n | words |\n| - | - |\n${numbered(200, (n) => `| ${n} | ${cells}|`)}`;
  const { head, tail } = shown(`Found:\n\n${table}`, 3_000);
  for (const row of [...head.trimEnd().split("\n").slice(2), ...tail.split("\n")])
    assert.match(row, /^\|.*\|$/);
  assert.ok(head.length > 1_200);
});

test("rows of a CSV file are cut between rows, not within a quoted field", () => {
  const row = (n: number) => `${n},"a ""long""\nfield, ${"of words ".repeat(25)}",end`;
  const whole = `id,text,last\n1,b,c\n2,b,c\n${numbered(200, row)}`;
  const { head, tail } = shown(whole, 3_000);
  assert.match(head, /,end\n$/);
  assert.match(tail, /^\d+,"a ""long""/);
});

test("rows that are longer than the shown part are cut within", () => {
  const whole = `a,b\nc,d\ne,f\n${"x".repeat(10_000)},${"y".repeat(10_000)}\n`;
  const { head, tail } = shown(whole, 500);
  assert.equal(head.length, 400);
  assert.equal(tail.length, 100);
});

test("a large text is cut quickly", () => {
  const whole = JSON.stringify(
    Array.from({ length: 200_000 }, (_, n) => ({ n, text: "some text" })),
  );
  const from = performance.now();
  truncate(whole, 8_000);
  assert.ok(performance.now() - from < 10_000);
});
