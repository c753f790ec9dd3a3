import assert from "node:assert/strict";
import { test } from "node:test";
import { tableProblems } from "./table-problems.ts";

const files: { readonly [link: string]: string } = {
  "a.test.ts": [
    'test("adds one", () => {});',
    'everyStore("keeps one", async () => {});',
    'twoNodes("keeps two", async () => {});',
    '  it(\n  "says \\"no\\"", async () => {});',
    "test('takes a | b', () => {});",
    "test(`made of ${parts}`, () => {});",
    'suite.test("of another object", () => {});',
  ].join("\n"),
  "a.test-d.ts": "// Data is inferred.\nconst x = 1; // not this one\n",
};
const read = (link: string): string | undefined => files[link];

function problemsOf(...cells: readonly string[]): readonly string[] {
  const rows = cells.map((cell) => `| what | here | ${cell} |`);
  return tableProblems(["| What | Here | Shown by |", "|---|---|---|", ...rows].join("\n"), read);
}

test("rows whose links name tests of the linked files have no problem", () => {
  const cells = [
    "[`adds one`](a.test.ts)",
    "[`keeps one`](a.test.ts)",
    "[`keeps two`](a.test.ts)",
    '[`adds one`](a.test.ts), [`says "no"`](a.test.ts)',
    "[`takes a \\| b`](a.test.ts)",
    "[`Data is inferred.`](a.test-d.ts)",
  ];
  assert.deepEqual(problemsOf(...cells), []);
});

test("a row without a link, file or test of that name is reported with its line", () => {
  assert.deepEqual(
    problemsOf(
      "",
      "seen by eye",
      "[`adds one`](b.test.ts)",
      "[`adds`](a.test.ts)",
      "[`made of ${parts}`](a.test.ts)",
      "[`of another object`](a.test.ts)",
      "[`not this one`](a.test-d.ts)",
    ),
    [
      "3: the last cell links to no test",
      "4: the last cell links to no test",
      "5: there is no file b.test.ts",
      '6: a.test.ts has no test called "adds"',
      '7: a.test.ts has no test called "made of ${parts}"',
      '8: a.test.ts has no test called "of another object"',
      '9: a.test-d.ts has no test called "not this one"',
    ],
  );
});

test("text next to the links is reported, because a planned test is not a test", () => {
  assert.deepEqual(problemsOf("[`adds one`](a.test.ts), to do"), ['3: "todo" is not a link']);
});

test("a page without rows, and a table without the column, are problems", () => {
  assert.deepEqual(tableProblems("# Contract\n", read), ["1: there is no table row"]);
  const table = "| What | Here |\n|---|---|\n| what | [`adds one`](a.test.ts) |";
  assert.deepEqual(tableProblems(table, read), [
    '1: the last column of a table is called "Shown by"',
  ]);
});
