import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "./check-arrows.ts";
import type { ArrowTable } from "./rules.ts";
import { scratchTree, smallTable } from "./testing/scratch-tree.ts";

function problemsOf(files: { readonly [path: string]: string }): readonly string[] {
  return checkArrows(scratchTree(smallTable, files), smallTable);
}

test("a folder that is not in the table is rejected", () => {
  const [problem, ...more] = problemsOf({ "packages/lib/src/new/a.ts": "" });
  assert.match(problem ?? "", /^packages\/lib\/src\/new is not in .* Add the folder to the table/);
  assert.deepEqual(more, []);
});

test("a folder with only tests or data is not required in the table", () => {
  assert.deepEqual(problemsOf({ "packages/lib/src/new/a.test.ts": "" }), []);
  assert.deepEqual(problemsOf({ "packages/lib/src/new/worker.py": "" }), []);
});

test("a folder of the table that does not exist is rejected", () => {
  const texts = new Map(scratchTree(smallTable));
  texts.delete("packages/lib/src/left/a.ts");
  const [problem] = checkArrows(texts, smallTable);
  assert.match(problem ?? "", /^packages\/lib\/src\/left holds no source files\. Remove/);
});

test("packages and table list each other", () => {
  const { app, ...others } = smallTable;
  const unlisted = checkArrows(scratchTree(smallTable), others);
  assert.match(unlisted[0] ?? "", /^packages\/app is not in .* Add the package to the table/);
  const table: ArrowTable = { ...others, ...(app && { app, more: app }) };
  const missing = checkArrows(scratchTree(smallTable), table);
  assert.match(missing[0] ?? "", /^packages\/more does not exist\. Remove the package/);
});
