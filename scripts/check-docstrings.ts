// A step of scripts/check.ts: each export of a package's entry points has a docstring, and the
// examples in docstrings compile.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { exampleProblems } from "./docstrings/example-problems.ts";
import { undocumentedExports } from "./docstrings/undocumented-exports.ts";

const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
const undocumented = undocumentedExports(root, folders);
for (const { entry, name, file } of undocumented)
  console.log(`${file}: ${name}, exported by ${entry}, has no docstring. Say what it does.`);
const invalid = exampleProblems(root, folders);
for (const { file, line, message } of invalid)
  console.log(`${file}:${line}: the example does not compile: ${message}`);
process.exitCode = undocumented.length + invalid.length === 0 ? 0 : 1;
