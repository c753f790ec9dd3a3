import { allowedFolders, type ArrowTable } from "./rules.ts";
import { shortPath } from "./source-file.ts";
import { importedFile, type SourceTree } from "./source-tree.ts";

/**
 * Checks that production source imports only folders above its own folder in the table. Type
 * imports count. `checkFolderList` reports folders that are not in the table.
 *
 * @returns a sentence for each problem, with file and line in front
 */
export function checkFolderOrder(tree: SourceTree, table: ArrowTable): readonly string[] {
  return [...tree.files.values()].flatMap((file) => {
    const rules = table[file.packageName ?? ""];
    if (rules === undefined || file.role !== "source" || !(file.folder in rules.folders)) return [];
    const allowed = allowedFolders(rules, file.folder);
    return file.imports.flatMap((reference) => {
      const imported = importedFile(tree, reference);
      if (imported?.packageName !== file.packageName || imported?.role !== "source") return [];
      const { folder, path } = imported;
      if (folder === file.folder || allowed.includes(folder) || !(folder in rules.folders))
        return [];
      return [
        `${file.path}:${reference.line} imports ${shortPath(path)}: folder "${file.folder}" may import ${listOf(allowed)}. Move the shared declaration down, or pass it in.`,
      ];
    });
  });
}

function listOf(folders: readonly string[]): string {
  return folders.length === 0 ? "no other folder" : `only ${folders.join(", ")}`;
}
