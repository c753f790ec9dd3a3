import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCycles } from "./check-cycles.ts";
import { sourceTree } from "./source-tree.ts";

/** Checks files of `packages/lib/src`, given with the files that they import. */
function cyclesOf(imports: { readonly [path: string]: readonly string[] }): readonly string[] {
  const texts = Object.entries(imports).map(([path, others]) => {
    const lines = others.map((other) => `import type { A } from "../${other}";`);
    return [`packages/lib/src/${path}`, lines.join("\n")] as const;
  });
  return checkCycles(sourceTree(new Map(texts)));
}

test("a tree without cycles has no problems", () => {
  assert.deepEqual(
    cyclesOf({ "x/a.ts": ["y/b.ts", "y/c.ts"], "y/b.ts": ["y/c.ts"], "y/c.ts": [] }),
    [],
  );
});

test("a cycle across folders is rejected with the file and line of an import", () => {
  const [problem, ...more] = cyclesOf({
    "x/a.ts": ["x/c.ts", "y/b.ts"],
    "y/b.ts": ["x/a.ts"],
    "x/c.ts": [],
  });
  assert.match(
    problem ?? "",
    /^packages\/lib\/src\/x\/a\.ts:2 is on a cycle .*: x\/a\.ts → y\/b\.ts → x\/a\.ts\. Move/,
  );
  assert.deepEqual(more, []);
});

test("a cycle within one folder is allowed", () => {
  assert.deepEqual(cyclesOf({ "x/a.ts": ["x/b.ts"], "x/b.ts": ["x/a.ts"] }), []);
});

test("the shortest of several cycles through the same files is reported, with their number", () => {
  const [problem, ...more] = cyclesOf({
    "x/a.ts": ["x/b.ts"],
    "x/b.ts": ["y/c.ts"],
    "y/c.ts": ["x/a.ts", "z/d.ts"],
    "z/d.ts": ["y/c.ts"],
  });
  assert.match(problem ?? "", /: y\/c\.ts → z\/d\.ts → y\/c\.ts\. .* In all, 4 files/);
  assert.deepEqual(more, []);
});

test("separate groups of files are reported separately", () => {
  const problems = cyclesOf({
    "x/a.ts": ["y/b.ts"],
    "y/b.ts": ["x/a.ts"],
    "x/c.ts": ["y/d.ts", "x/a.ts"],
    "y/d.ts": ["x/c.ts"],
  });
  assert.equal(problems.length, 2);
});
