// A step of scripts/check.ts: each row of the contract tables has a test, rows of plugins.md have one
// through HTTP, and the tests that security.md links exist.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contractProblems } from "./contract/contract-rows.ts";
import { httpProblems } from "./contract/http-rows.ts";
import { root } from "./command.ts";
import { tableProblems } from "./contract/table-problems.ts";

const exclude = ["**/node_modules/**", "**/dist/**"];
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const find = (...patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: root, exclude }).toSorted();

const pages = find("docs/reference/contract/*.md", "docs/reference/durability.md");
const tests = find("{packages,test,scripts,bench}/**/*.{test.ts,test.tsx,test-d.ts}");
const plugins = "docs/reference/contract/plugins.md";
const security = "docs/reference/security.md";
const testFiles = tests.map((file) => ({ file, text: textOf(file) }));
const problems = [
  ...contractProblems(
    pages.map((page) => ({ page, text: textOf(page) })),
    testFiles,
  ),
  ...httpProblems({ page: plugins, text: textOf(plugins) }, testFiles),
  ...tableProblems(textOf(security), (link) => read(join(root, dirname(security), link))).map(
    (problem) => `${security}:${problem}`,
  ),
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
