import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { fitsGlob, fitsPath } from "./argument-conditions.ts";

const paths: readonly [pattern: string, path: string, fits: boolean][] = [
  ["secrets/**", "secrets", true],
  ["secrets/**", "secrets/a/b.pem", true],
  ["secrets/**", "secretsx/a", false],
  ["secrets/**", "./secrets//a", true],
  ["secrets/**", "docs/../secrets/a", true],
  ["secrets/**", "secrets\\a", true],
  ["secrets/**", "/secrets/a", false],
  ["/etc/**", "/../etc/passwd", true],
  ["docs/**", "docs/../secrets/a", false],
  ["docs/**", "../docs/a", false],
  ["**/*.pem", "key.pem", true],
  ["**/*.pem", "a/b/key.pem", true],
  ["**/*.pem", "a/b/key.txt", false],
  ["a/*/c", "a/b/c", true],
  ["a/*/c", "a/b/b/c", false],
  ["a/**/b/**/c", "a/x/b/y/b/c", true],
  ["*.md", "docs/a.md", false],
  ["notes.md", "./notes.md", true],
];
for (const [pattern, path, fits] of paths)
  test(`the path ${path} ${fits ? "fits" : "does not fit"} ${pattern}`, () => {
    assert.equal(fitsPath(pattern, path), fits);
  });

test("a path with more detours than any pattern has names is normalised", () => {
  assert.equal(fitsPath("secrets/**", `${"./".repeat(100_000)}secrets/a`), true);
  assert.equal(fitsPath("secrets/**", `${"a/../".repeat(100_000)}secrets/a`), true);
});

const asExpression = (pattern: string) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join("[^]*")}$`,
  );

test("a glob matches like a regular expression with any text for its stars", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (pattern, text) => {
      assert.equal(fitsGlob(pattern, text), asExpression(pattern).test(text));
    }),
    { numRuns: 2_000 },
  );
});

// Contract: executor-219
test("a path pattern matches like a regular expression over whole names", () => {
  const names = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 6 });
  const wanted = fc.array(fc.constantFrom("a", "b", "a*", "*", "**"), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(wanted, names, (pattern, path) => {
      const source = pattern
        .map((name) => (name === "**" ? "(?:[^/]+/)*" : `${name.replaceAll("*", "[^/]*")}/`))
        .join("");
      // A single `*` matches one name, which is never empty.
      const expected = new RegExp(`^${source}$`).test(`${path.join("/")}/`);
      assert.equal(fitsPath(pattern.join("/"), path.join("/")), expected);
    }),
    { numRuns: 2_000 },
  );
});
