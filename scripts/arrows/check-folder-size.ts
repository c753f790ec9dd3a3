import type { SourceFile, SourceTree } from "./source-tree.ts";

/** The largest number of production source files in one folder, subfolders not counted. */
const limit = 20;

/**
 * Checks that no folder of a package's `src`, nor of `bench`, `examples`, `scripts` or `test`, holds
 * more than 20 source files. Tests, test helpers of packages, declaration files and data files do
 * not count.
 *
 * @returns a sentence for each problem, with the folder in front
 */
export function checkFolderSize(tree: SourceTree): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of tree.files.values()) {
    if (file.role !== "source" || file.path.endsWith(".d.ts")) continue;
    const name = folderOf(file);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > limit)
    .map(
      ([name, count]) =>
        `${name} holds ${count} source files: a folder may hold ${limit}. Move one topic into a subfolder.`,
    );
}

/** Returns the path of a file's folder from the repository's root. */
function folderOf({ packageName, folder }: SourceFile): string {
  if (packageName === undefined) return folder;
  return `packages/${packageName}/src/${folder}`.replace(/\/\.$/, "");
}
