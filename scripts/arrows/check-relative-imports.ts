import { placeOf } from "./source-file.ts";
import type { SourceTree } from "./source-tree.ts";

/**
 * Checks that no relative import crosses the border of a package, in either direction. A package's
 * tests outside `src` may use the helpers of `bench`, `scripts` and `test`.
 *
 * @returns a sentence for each problem, with file and line in front
 */
export function checkRelativeImports(tree: SourceTree): readonly string[] {
  return [...tree.files.values()].flatMap((file) =>
    file.imports.flatMap(({ specifier, line, target }) => {
      if (target.type !== "file") return [];
      const { packageName } = placeOf(target.path);
      if (packageName === file.packageName) return [];
      if (packageName === undefined && !file.path.includes("/src/")) return [];
      const reason =
        file.packageName === undefined
          ? "files of a package are imported by the package's name"
          : `a relative import must stay in package "${file.packageName}"`;
      const remedy =
        packageName === undefined
          ? "Move the file into the package."
          : `Import what package "${packageName}" exports; test helpers are exported by its testing/index.ts.`;
      return [`${file.path}:${line} imports ${specifier}: ${reason}. ${remedy}`];
    }),
  );
}
