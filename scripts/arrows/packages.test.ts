import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "./check-arrows.ts";
import { packages } from "./packages.ts";
import { allowedFolders, type PackageRules } from "./rules.ts";
import { scratchTree } from "./testing/scratch-tree.ts";

function rulesOf(name: string): PackageRules {
  const rules = packages[name];
  assert.ok(rules, `${name} is in the table`);
  return rules;
}

test("a package imports only packages above it in the table", () => {
  const names = Object.keys(packages);
  for (const [index, name] of names.entries())
    for (const other of Object.keys(rulesOf(name).imports))
      assert.ok(names.slice(0, index).includes(other), `${name} imports ${other}`);
});

test("every package lists its root folder last, so that its entries may import everything", () => {
  for (const [name, { folders }] of Object.entries(packages))
    assert.equal(Object.keys(folders).at(-1), ".", name);
});

test("SQLite and PostgreSQL do not import each other", () => {
  const store = rulesOf("store");
  assert.ok(!allowedFolders(store, "postgres/write").includes("sqlite"));
  assert.ok(allowedFolders(store, "postgres/write").includes("postgres/wire"));
});

// Breaks each rule in a scratch tree, because a rule that the check does not apply reports nothing.
const broken: { readonly [path: string]: string } = {
  "packages/core/src/tool/node.ts": "node:fs",
  "packages/core/src/tool/bun.ts": "bun:sqlite",
  "packages/core/src/tool/server.ts": "@capstan/server",
  "packages/core/src/tool/later-folder.ts": "../policy/a.ts",
  "packages/core/src/tool/border.ts": "../../../server/src/a.ts",
  "packages/models/src/testing.ts": "@capstan/core/testing",
  "packages/core/src/tool/cli.test.ts": "capstan",
  "packages/contract/src/value.ts": "@capstan/core",
  "packages/models/src/toolkit.ts": "@capstan/toolkit",
  "packages/sandbox/src/toolkit.ts": "@capstan/toolkit",
  "packages/toolkit/src/scripts.ts": "@capstan/scripts",
  "packages/scripts/src/value.ts": "@capstan/contract",
  "packages/store/src/server.ts": "@capstan/server",
  "packages/store/src/decide/live.ts": "../live/a.ts",
  "packages/store/src/postgres/sqlite.ts": "../sqlite/a.ts",
  "packages/server/src/toolkit.ts": "@capstan/toolkit",
  "packages/server/src/api/responses.ts": "../responses/a.ts",
  "packages/web/src/store.ts": "@capstan/store",
  "packages/web/src/value.ts": "@capstan/contract",
  "packages/web/src/node.ts": "node:fs",
  "packages/cli/src/deep.ts": "@capstan/core/src/tool/a.ts",
  "bench/deep.ts": "../packages/store/src/sqlite/a.ts",
};

const problems = checkArrows(
  scratchTree(
    packages,
    Object.fromEntries(
      Object.entries(broken).map(([path, source]) => [path, `import { a } from "${source}";\n`]),
    ),
  ),
  packages,
);

for (const [path, source] of Object.entries(broken))
  test(`${path} may not import ${source}`, () => {
    assert.ok(problems.some((problem) => problem.startsWith(`${path}:1 imports`)));
  });

test("nothing else in the scratch tree is rejected", () => {
  assert.equal(problems.length, Object.keys(broken).length, problems.join("\n"));
});
