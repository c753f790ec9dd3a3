import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "./check-arrows.ts";
import { scratchTree, smallTable } from "./testing/scratch-tree.ts";

test("a tree that follows the table has no problems", () => {
  assert.deepEqual(checkArrows(scratchTree(smallTable), smallTable), []);
});

/** A file, its import, and the expected problem, or undefined if the import is allowed. */
const cases: readonly (readonly [path: string, text: string, problem: string | undefined])[] = [
  ["packages/app/src/b.ts", 'import { a } from "@capstan/lib";', undefined],
  ["packages/app/src/b.ts", 'import type { A } from "@capstan/types";', undefined],
  ["packages/app/src/b.ts", 'import { a } from "@capstan/types";', "may import only types of"],
  ["packages/types/src/b.ts", 'export { a } from "@capstan/lib";', "may import only types of"],
  ["packages/types/src/b.ts", 'export type { A } from "@capstan/lib";', undefined],
  ["packages/lib/src/b.ts", 'import type { A } from "@capstan/app";', "no other package"],
  ["packages/types/src/b.ts", 'import type { A } from "@capstan/app";', "may import only lib"],
  [
    "packages/app/src/b.ts",
    'import { a } from "@capstan/lib/src/a.ts";',
    "exports only ., ./testing",
  ],
  ["packages/app/src/b.ts", 'import { a } from "@capstan/app";', "by relative path"],
  ["packages/app/src/b.ts", 'import { a } from "../../lib/src/a.ts";', "must stay in package"],
  ["packages/app/src/b.ts", 'type A = import("../../lib/src/a.ts").A;', "must stay in package"],
  ["packages/app/src/b.ts", 'import { a } from "../../../scripts/b.ts";', "must stay in package"],
  ["packages/app/src/b.test.ts", 'import { a } from "../../../test/b.ts";', "must stay in package"],
  ["packages/app/test/b.ts", 'import { a } from "../../../test/b.ts";', undefined],
  ["packages/app/test/b.ts", 'import { a } from "../../lib/src/a.ts";', "must stay in package"],
  ["packages/app/src/b.ts", 'import { a } from "node:fs";', undefined],
  ["packages/lib/src/b.ts", 'import { a } from "node:fs";', "without Node.js"],
  ["packages/lib/src/b.ts", 'import { a } from "fs/promises";', "without Node.js"],
  ["packages/lib/src/testing/b.ts", 'import { a } from "node:fs";', "without Node.js"],
  ["packages/lib/src/b.test.ts", 'import { a } from "node:fs";', undefined],
  ["packages/lib/src/b.ts", 'import { a } from "typebox";', undefined],
  ["packages/app/src/b.ts", 'import { a } from "@capstan/lib/testing";', "only tests may import"],
  ["packages/app/src/b.ts", 'import { a } from "./testing/a.ts";', "only tests may import"],
  ["packages/app/src/b.test.ts", 'import { a } from "@capstan/lib/testing";', undefined],
  ["packages/lib/src/b.test.ts", 'import { a } from "@capstan/app/testing";', undefined],
  ["packages/lib/src/b.test.ts", 'import { a } from "@capstan/app";', "no other package"],
  ["packages/app/src/testing/b.ts", 'import { a } from "@capstan/lib/testing";', undefined],
  ["bench/b.ts", 'import { a } from "@capstan/app";', undefined],
  ["test/b.ts", 'import { a } from "@capstan/app/testing";', undefined],
  ["test/b.ts", 'import { a } from "../scripts/b.ts";', undefined],
  ["examples/b.ts", 'import { a } from "../packages/lib/src/a.ts";', "by the package's name"],
  ["bench/b.ts", 'import { a } from "@capstan/lib/src/a.ts";', "exports only ., ./testing"],
  ["packages/lib/src/left/b.ts", 'import { a } from "../base/a.ts";', undefined],
  ["packages/lib/src/base/b.ts", 'import { a } from "../left/a.ts";', "no other folder"],
  ["packages/lib/src/base/b.ts", 'import type { A } from "../left/a.ts";', "no other folder"],
  [
    "packages/lib/src/left/b.ts",
    'import { a } from "../a.ts";',
    'folder "left" may import only base',
  ],
  [
    "packages/lib/src/right/b.ts",
    'import { a } from "../left/a.ts";',
    'folder "right" may import only base',
  ],
  ["packages/lib/src/b.ts", 'import { a } from "./right/a.ts";', undefined],
  ["packages/app/src/views/b.ts", 'import { a } from "./parts/a.ts";', undefined],
  ["packages/app/src/views/parts/b.ts", 'import { a } from "../a.ts";', "no other folder"],
  ["packages/lib/src/base/b.ts", 'new URL("../left/a.ts", import.meta.url);', "no other folder"],
  ["packages/lib/src/base/b.test.ts", 'import { a } from "../left/a.ts";', undefined],
];
for (const [path, text, problem] of cases)
  test(`${path}: ${text} is ${problem === undefined ? "allowed" : "refused"}`, () => {
    const problems = checkArrows(scratchTree(smallTable, { [path]: `\n${text}\n` }), smallTable);
    assert.equal(problems.length, problem === undefined ? 0 : 1, problems.join("\n"));
    if (problem !== undefined) {
      const [found = ""] = problems;
      assert.ok(found.startsWith(`${path}:2 imports `), found);
      assert.ok(found.includes(problem), found);
    }
  });
