import type { SourceTree } from "./source-tree.ts";

/** The largest number of production source files in one folder, subfolders not counted. */
const limit = 20;

/**
 * Checks that no folder of a package holds more than 20 source files. Tests, test helpers,
 * declaration files and data files do not count.
 *
 * @returns a sentence for each problem, with the folder in front
 */
export function checkFolderSize(tree: SourceTree): readonly string[] {
  const counts = new Map<string, number>();
  for (const { packageName, folder, role, path } of tree.files.values()) {
    if (packageName === undefined || role !== "source" || path.endsWith(".d.ts")) continue;
    const name = `packages/${packageName}/src/${folder}`.replace(/\/\.$/, "");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > limit)
    .map(
      ([name, count]) =>
        `${name} holds ${count} source files: a folder may hold ${limit}. Move one topic into a subfolder.`,
    );
}
