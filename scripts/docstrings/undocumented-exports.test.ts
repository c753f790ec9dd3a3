import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { undocumentedExports } from "./undocumented-exports.ts";

const tsconfig = {
  compilerOptions: {
    module: "nodenext",
    target: "esnext",
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ["src"],
};

async function readPackage(
  files: { readonly [path: string]: string },
  exports: { readonly [subpath: string]: object } = {
    ".": { "@capstan/source": "./src/index.ts" },
  },
) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "capstan-docstrings-")));
  try {
    const manifest = { name: "@capstan/sample", type: "module", exports };
    for (const [path, text] of Object.entries({
      "package.json": JSON.stringify(manifest),
      "tsconfig.json": JSON.stringify(tsconfig),
      ...files,
    })) {
      const file = join(root, "packages/sample", path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return undocumentedExports(root, ["packages/sample"]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test("accepts exports with docstrings at their declarations", async () => {
  const problems = await readPackage({
    "src/index.ts": `export * from "./all.ts"; export { inner as outer } from "./named.ts";
      /** Options. */ export interface Options {}`,
    "src/all.ts": "/** Returns 1. */ export function one() { return 1; }",
    "src/named.ts": "/** A constant. */ export const inner = 2; export const internal = 3;",
  });
  assert.deepEqual(problems, []);
});

test("reports exports without docstrings by entry point, name and file", async () => {
  const problems = await readPackage(
    {
      "src/index.ts": `export { inner as outer } from "./named.ts"; export class Bare {}`,
      "src/host.ts": `export * from "./all.ts";`,
      "src/all.ts": "// No docstring.\nexport type All = string;",
      "src/named.ts": "/** @internal */ export const inner = 2;",
    },
    {
      ".": { "@capstan/source": "./src/index.ts" },
      "./host": { "@capstan/source": "./src/host.ts" },
      "./data": { default: "./data.js" },
    },
  );
  assert.deepEqual(problems.map(({ entry, name, file }) => `${entry} ${name} ${file}`).toSorted(), [
    "@capstan/sample Bare packages/sample/src/index.ts",
    "@capstan/sample outer packages/sample/src/named.ts",
    "@capstan/sample/host All packages/sample/src/all.ts",
  ]);
});

test("fails if an entry point is outside the TypeScript project", async () => {
  await assert.rejects(
    readPackage(
      { "index.ts": "export const a = 1;", "src/b.ts": "" },
      {
        ".": { "@capstan/source": "./index.ts" },
      },
    ),
    /index\.ts is not a module of the project/,
  );
});
