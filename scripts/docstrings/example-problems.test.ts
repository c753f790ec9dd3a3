import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { exampleProblems } from "./example-problems.ts";
import { readExamples } from "./read-examples.ts";

const tsconfig = {
  compilerOptions: {
    module: "nodenext",
    target: "esnext",
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ["src"],
};

async function problemsOf(files: { readonly [path: string]: string }) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "capstan-examples-")));
  try {
    for (const [path, text] of Object.entries({
      "package.json": JSON.stringify({ name: "@capstan/sample", type: "module" }),
      "tsconfig.json": JSON.stringify(tsconfig),
      ...files,
    })) {
      const file = join(root, "packages/sample", path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return exampleProblems(root, ["packages/sample"], "packages/sample/tsconfig.json");
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test("an example ends at the next tag or at the end of its docstring", () => {
  const text = `
/**
 * Adds.
 *
 * @example
 * const sum = add(1,
 *   2);
 * @returns the sum
 */
/** @example add(1, 2) // 3 */
/* @example not a docstring */`;
  assert.deepEqual(readExamples(text, "a.ts"), [
    { line: 5, code: "const sum = add(1,\n  2);" },
    { line: 10, code: "add(1, 2) // 3" },
  ]);
});

test("accepts examples with names of the file, of the entry point and of the caller", async () => {
  const problems = await problemsOf({
    "src/index.ts": `export { add } from "./add.ts"; export { double } from "./double.ts";`,
    "src/add.ts": `/** @example const three = add(double(1), size); */
export function add(a: number, b: number): number { return a + b; }`,
    "src/double.ts": "export const double = (a: number): number => a * 2;",
  });
  assert.deepEqual(problems, []);
});

test("reports examples with a wrong argument, a misspelt name or invalid syntax", async () => {
  const problems = await problemsOf({
    "src/index.ts": `export * from "./add.ts";`,
    "src/add.ts": `/**
 * @example add(1, "2")
 * @example addd(1, 2)
 * @example add(1,
 */
export function add(a: number, b: number): number { return a + b; }`,
  });
  const found = problems.map(({ file, line }) => `${file}:${line}`);
  assert.deepEqual(
    [...new Set(found)],
    [4, 2, 3].map((line) => `packages/sample/src/add.ts:${line}`),
  );
});
