import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileGlob } from "./glob.ts";

function matches(glob: string, path: string): boolean {
  const compiled = compileGlob(glob);
  assert.equal(compiled.status, "compiled", glob);
  return compiled.matches(path);
}

test("globs match as users expect", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["./src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "lib/src/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/x/y/a.ts", true],
    ["src/**", "src/x/y", true],
    ["src/**", "srcs", false],
    ["**/test/*", "a/test/b", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["*.{ts,{js,mjs}}", "a.mjs", true],
    ["file?.txt", "file1.txt", true],
    ["a/?/b", "a///b", false],
    ["[a-c]*.md", "b.md", true],
    ["[!a]*.md", "a.md", false],
    ["a+(b).txt", "a+(b).txt", true],
    [String.raw`\*.txt`, "a.txt", false],
    ["{a}.txt", "a.txt", true],
    ["a,b", "a,b", true],
  ];
  for (const [glob, path, expected] of cases)
    assert.equal(matches(glob, path), expected, `${glob} ${path}`);
});

test("an unclosed brace is reported", () => {
  const glob = compileGlob("*.{ts");
  assert.equal(glob.status, "invalid");
});

test("any glob matches quickly and without throwing", () => {
  const started = performance.now();
  matches("*a".repeat(100), `${"a".repeat(5000)}b`);
  matches(`${"**/".repeat(30)}x`, "a/".repeat(500));
  assert.ok(performance.now() - started < 10_000);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."*?[]{}!^,\\/ab-]é".split("")) }), (glob) => {
      assert.match(compileGlob(glob).status, /compiled|invalid/);
    }),
  );
});

test("a path is matched by a glob that consists of its own characters", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-zA-Z0-9_. -]{1,10}(\/[a-zA-Z0-9_. +()$-]{1,10}){0,3}$/),
      (path) => {
        fc.pre(!path.startsWith("./"));
        assert.ok(matches(path, path));
      },
    ),
  );
});
