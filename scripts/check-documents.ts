// A step of scripts/check.ts: the paths and links in the documents lead to files of the repository.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./command.ts";
import { deadPaths, type Repository } from "./documents/dead-paths.ts";

const exclude = ["**/node_modules/**", "**/dist/**"];
const names = new Set(
  globSync("**/*.{ts,tsx}", { cwd: root, exclude }).map((file) => basename(file)),
);
const repository: Repository = {
  has: (path) => existsSync(join(root, path)),
  hasFileNamed: (name) => names.has(name),
  packages: readdirSync(join(root, "packages")),
};

const pages = globSync(["*.md", "docs/**/*.md", "{packages,examples}/**/*.md"], {
  cwd: root,
  exclude,
});
const lines = pages
  .filter((page) => page !== "CHANGELOG.md")
  .toSorted()
  .flatMap((page) =>
    deadPaths(readFileSync(join(root, page), "utf8"), page, repository).map(
      ({ line, path, reason }) => `${page}:${line}: ${path}: ${reason}`,
    ),
  );
for (const line of lines) console.log(line);
process.exitCode = lines.length === 0 ? 0 : 1;
