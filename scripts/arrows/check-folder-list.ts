import type { ArrowTable } from "./rules.ts";
import type { SourceTree } from "./source-tree.ts";

const where = "scripts/arrows/packages.ts";

/**
 * Checks that the table lists exactly the packages and folders that exist. A folder exists if it
 * holds production source; `testing` folders are not listed.
 *
 * @returns a sentence for each problem, with the path in front
 */
export function checkFolderList(tree: SourceTree, table: ArrowTable): readonly string[] {
  const sources = [...tree.files.values()].filter(({ role }) => role === "source");
  const names = new Set([...tree.packages.keys(), ...Object.keys(table)]);
  return [...names].flatMap((name) => {
    const listed = table[name];
    if (listed === undefined)
      return [`packages/${name} is not in ${where}. Add the package to the table.`];
    if (!tree.packages.has(name))
      return [`packages/${name} does not exist. Remove the package from ${where}.`];
    const existing = new Set(
      sources.filter(({ packageName }) => packageName === name).map(({ folder }) => folder),
    );
    const unlisted = [...existing].filter((folder) => !(folder in listed.folders));
    const missing = Object.keys(listed.folders).filter((folder) => !existing.has(folder));
    return [
      ...unlisted.map(
        (folder) =>
          `packages/${name}/src/${folder} is not in ${where}. Add the folder to the table, below the folders that it imports.`,
      ),
      ...missing.map(
        (folder) =>
          `packages/${name}/src/${folder} holds no source files. Remove the folder from ${where}.`,
      ),
    ];
  });
}
