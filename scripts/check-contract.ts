// A step of scripts/check.ts: the tests that docs/reference/contract/, durability.md and
// security.md link exist.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./command.ts";
import { tableProblems } from "./contract/table-problems.ts";

const pages = globSync(
  ["docs/reference/contract/*.md", "docs/reference/{durability,security}.md"],
  {
    cwd: root,
  },
).toSorted();
const problems = pages.flatMap((page) => {
  const path = join(root, page);
  return tableProblems(readFileSync(path, "utf8"), (link) => read(join(dirname(path), link))).map(
    (problem) => `${page}:${problem}`,
  );
});
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
