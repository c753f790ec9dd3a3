// A step of scripts/check.ts: the examples in docstrings compile.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { exampleProblems } from "./docstrings/example-problems.ts";

const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
// The options of the page fit all packages, because they allow JSX.
const found = exampleProblems(root, folders, "packages/web/tsconfig.json");
for (const { file, line, message } of found)
  console.log(`${file}:${line}: the example does not compile: ${message}`);
process.exitCode = found.length === 0 ? 0 : 1;
