import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFolderSize } from "./check-folder-size.ts";
import { sourceTree } from "./source-tree.ts";

/** Returns the problems of a folder that holds this many files with this ending. */
function problemsOf(folder: string, count: number, ending: string): readonly string[] {
  const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}${ending}`);
  return checkFolderSize(sourceTree(new Map(paths.map((path) => [path, ""]))));
}

const folders = [
  "packages/lib/src",
  "packages/lib/src/base",
  "bench",
  "examples",
  "scripts/testing",
  "test",
  "test/breaking",
];

for (const folder of folders)
  test(`${folder} may hold 20 source files, and no more`, () => {
    assert.deepEqual(problemsOf(folder, 20, ".ts"), []);
    const [problem = "", ...more] = problemsOf(folder, 21, ".ts");
    assert.ok(problem.startsWith(`${folder} holds 21 source files: `), problem);
    assert.match(problem, /may hold 20\. Move one topic/);
    assert.deepEqual(more, []);
  });

test("tests, declaration files and data files do not count", () => {
  for (const folder of ["packages/lib/src/base", "scripts/testing"])
    for (const ending of [".test.ts", ".test-d.ts", ".d.ts", ".py"])
      assert.deepEqual(problemsOf(folder, 30, ending), [], `${folder} ${ending}`);
});

test("test helpers of a package do not count, nor files outside its src", () => {
  assert.deepEqual(problemsOf("packages/lib/src/testing", 30, ".ts"), []);
  assert.deepEqual(problemsOf("packages/lib/test", 30, ".ts"), []);
});

test("files in subfolders do not count", () => {
  const paths = [0, 1, 2].flatMap((folder) =>
    Array.from({ length: 10 }, (_, index) => `test/${folder}/${index}.ts`),
  );
  assert.deepEqual(checkFolderSize(sourceTree(new Map(paths.map((path) => [path, ""])))), []);
});
