import { shortPath } from "./source-file.ts";
import { importedFile, type SourceTree } from "./source-tree.ts";

/**
 * Checks that the production source of a package imports neither tests nor test helpers. All other
 * files may import the helpers of every package.
 *
 * @returns a sentence for each problem, with file and line in front
 */
export function checkTestImports(tree: SourceTree): readonly string[] {
  return [...tree.files.values()].flatMap((file) => {
    if (file.packageName === undefined || file.role !== "source") return [];
    return file.imports.flatMap((reference) => {
      const imported = importedFile(tree, reference);
      if (imported === undefined || imported.role === "source") return [];
      // A package's entry can be outside `src`. A package exports no tests.
      if (reference.target.type === "package" && imported.role === "test") return [];
      const problem = `only tests may import tests and the files of a "testing" folder`;
      return [
        `${file.path}:${reference.line} imports ${shortPath(imported.path)}: ${problem}. Move the declaration into production source.`,
      ];
    });
  });
}
