import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { sliceText } from "../../text/slice.ts";
import { resultHint } from "./keep-result.ts";
import { truncate, truncateToTokens } from "../../text/truncate.ts";

interface Reading {
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

/** Reads the omitted part with the hint: from its start, page by page, to its end. */
function readOn(whole: string, hint: string): string {
  const [, json = "{}"] = /ReadVar\((\{.*?\})\)/.exec(hint) ?? [];
  const { name, start, length } = JSON.parse(json) as Reading;
  assert.equal(name, "Fetch_1");
  const [, from, to] = /, from (\d+) to (\d+)\./.exec(hint) ?? [];
  assert.equal(Number(from), start);
  let read = "";
  for (let at = start; at < Number(to); at = start + read.length)
    read += sliceText(whole, at, Math.min(length, Number(to) - at));
  return read;
}

const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 100, maxLength: 500 }),
  fc.array(fc.string({ unit: "grapheme", maxLength: 40 })).map((lines) => lines.join("\n")),
  fc.array(fc.jsonValue({ maxDepth: 2 })).map((list) => JSON.stringify(list)),
  fc
    .string({ unit: fc.constantFrom("a", "😀", "👩‍👩‍👧", "\ud83d", "\n"), minLength: 1 })
    .map((piece) => piece.repeat(4_000)),
);

// Contract: executor-120, executor-215, variables-34
test("the shown text and the hint's pages are exactly the full text, for any text and limit", () => {
  const limit = fc.oneof(fc.nat(300), fc.integer({ min: 300, max: 9_000 }));
  fc.assert(
    fc.property(text, limit, fc.boolean(), (whole, size, inTokens) => {
      const countTokens = (some: string) => Math.ceil(some.length / 3);
      const cut = inTokens
        ? truncateToTokens(whole, { tokens: size, countTokens, maxChars: 20_000 })
        : truncate(whole, size);
      if (cut.omitted === 0) return assert.equal(cut.text, whole);
      const { start, length } = cut.rest;
      const head = whole.slice(0, start);
      const tail = whole.slice(start + length);
      assert.ok(cut.text.startsWith(head) && cut.text.endsWith(tail));
      const read = readOn(whole, resultHint({ name: "Fetch_1", whole, cut }));
      assert.ok(head + read + tail === whole);
    }),
    { numRuns: 200 },
  );
});

// Contract: executor-105, executor-215
test("a result that was not truncated names its variable only if the variable is useful", () => {
  const of = (whole: string, name?: string) =>
    resultHint({ name, whole, cut: truncate(whole, 8_000) });
  assert.equal(of("short", "Fetch_1"), "");
  assert.equal(of("x".repeat(1_999), "Fetch_1"), "");
  assert.equal(of("x".repeat(2_000), "Fetch_1"), "\n\n[Stored as Fetch_1]");
  assert.equal(of("x".repeat(2_000)), "");
});

// Contract: executor-105, executor-124
test("the hint states the length and the range of the missing text, and how to read it", () => {
  const whole = "x".repeat(20_000);
  const hint = (name?: string) => resultHint({ name, whole, cut: truncate(whole, 1_000) });
  assert.equal(
    hint("Fetch_1"),
    '\n\n[Omitted: 19,000 of 20,000 characters, from 800 to 19800. Read on: ReadVar({"name":"Fetch_1","start":800,"length":8000}). Pass the full value to a tool: $VAR_REF{{Fetch_1}}]',
  );
  assert.match(hint(), /characters, from 800 to 19800\. The full value was not stored\.\]$/);
});
