// npm run tools-reference [-- --check]: writes docs/reference/tools from the tools' definitions.
// --check only compares them with the files.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { documentedGroups } from "./tools-reference/documented-groups.ts";
import { documentedRoot, groupPage, indexPage } from "./tools-reference/group-page.ts";

const folder = join(root, "docs/reference/tools");
const groups = documentedGroups(documentedRoot, `${documentedRoot}-changes`);
const pages = new Map([
  ["README.md", indexPage(groups)],
  ...groups.map((group) => [`${group.name}.md`, groupPage(group)] as const),
]);

mkdirSync(folder, { recursive: true });
const written = readdirSync(folder);
const changed = [...pages].filter(
  ([name, text]) => !written.includes(name) || readFileSync(join(folder, name), "utf8") !== text,
);
const orphaned = written.filter((name) => !pages.has(name));

if (!process.argv.includes("--check")) {
  for (const [name, text] of changed) writeFileSync(join(folder, name), text);
  for (const name of orphaned) rmSync(join(folder, name));
} else if (changed.length + orphaned.length > 0) {
  const names = [...changed.map(([name]) => name), ...orphaned].join(", ");
  console.error(
    `docs/reference/tools does not match the tools' definitions (${names}). Run: npm run tools-reference`,
  );
  process.exitCode = 1;
}
