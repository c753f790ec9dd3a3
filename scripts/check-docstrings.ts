// A step of scripts/check.ts: each export of a package's entry points has a docstring.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { undocumentedExports } from "./docstrings/undocumented-exports.ts";

const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
const found = undocumentedExports(root, folders);
for (const { entry, name, file } of found)
  console.log(`${file}: ${name}, exported by ${entry}, has no docstring. Say what it does.`);
process.exitCode = found.length === 0 ? 0 : 1;
