import { checkCycles } from "./check-cycles.ts";
import { checkFolderList } from "./check-folder-list.ts";
import { checkFolderOrder } from "./check-folder-order.ts";
import { checkFolderSize } from "./check-folder-size.ts";
import { checkPage } from "./check-page.ts";
import { checkPackageImports } from "./check-package-imports.ts";
import { checkRelativeImports } from "./check-relative-imports.ts";
import { checkTestImports } from "./check-test-imports.ts";
import type { ArrowTable } from "./rules.ts";
import { sourceTree } from "./source-tree.ts";

/**
 * Checks which package and which folder imports which.
 *
 * @param texts the source files, the packages' package.json and the architecture page, by path from
 *   the repository's root
 * @returns a sentence for each problem, with file and line in front; empty if there are none
 */
export function checkArrows(
  texts: ReadonlyMap<string, string>,
  table: ArrowTable,
): readonly string[] {
  const tree = sourceTree(texts);
  return [
    ...checkFolderList(tree, table),
    ...checkFolderSize(tree),
    ...checkPackageImports(tree, table),
    ...checkRelativeImports(tree),
    ...checkTestImports(tree),
    ...checkFolderOrder(tree, table),
    ...checkCycles(tree),
    ...checkPage(texts, table),
  ];
}
