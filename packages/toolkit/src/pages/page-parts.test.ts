import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findInPage, splitPages } from "./page-parts.ts";

test("pages end at the end of a paragraph, if one ends late enough in the page", () => {
  const text = `${"a".repeat(80)}\n\n${"b".repeat(80)}`;
  assert.deepEqual(splitPages(text, 100), [`${"a".repeat(80)}\n\n`, "b".repeat(80)]);
  assert.deepEqual(splitPages("", 100), [""]);
});

test("joining all pages gives the text, and no page exceeds the limit or splits a surrogate pair", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀") });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 30 }), (text, length) => {
      const pages = splitPages(text, length);
      assert.equal(pages.join(""), text);
      assert.ok(pages.every((page) => page.length <= length && page.isWellFormed()));
    }),
  );
});

test("a search is literal, ignores case and reports positions", () => {
  const text = `Start (a+b) ${"x ".repeat(4000)}(A+B) end`;
  const found = findInPage(text, "(a+b)");
  assert.equal(found.matches, 2);
  assert.deepEqual(
    found.excerpts.map(({ page, position }) => [page, position]),
    [
      [1, 6],
      [2, 8012],
    ],
  );
  assert.match(found.excerpts[1]!.text, /^….*\(A\+B\) end$/);
});

test("many matches are counted and few are shown", () => {
  const found = findInPage("ab ".repeat(10_000), "ab", 5);
  assert.equal(found.matches, 10_000);
  assert.equal(found.excerpts.length, 5);
});
