import { connectedFiles, shortestChain, type ImportGraph } from "./connected-files.ts";
import { shortPath } from "./source-file.ts";
import { importedFile, type SourceFile, type SourceTree } from "./source-tree.ts";

/**
 * Checks that no cycle of imports crosses a folder. Type imports count. A cycle of types within one
 * folder is allowed.
 *
 * @returns for each group of files that import each other the shortest cycle across folders, with
 *   file and line of one of its imports in front
 */
export function checkCycles(tree: SourceTree): readonly string[] {
  const graph: ImportGraph = new Map(
    Array.from(tree.files.values(), (file) => [
      file.path,
      file.imports.flatMap((reference) => importedFile(tree, reference)?.path ?? []),
    ]),
  );
  return connectedFiles(graph).flatMap((group) => {
    const cycle = shortestCycle(tree, graph, group);
    if (cycle === undefined) return [];
    const [first, second] = cycle.map((path) => tree.files.get(path));
    const line = lineOf(tree, first, second);
    const more =
      group.size > cycle.length - 1
        ? ` In all, ${group.size} files import each other in cycles.`
        : "";
    return [
      `${cycle[0]}:${line} is on a cycle of imports across folders: ${cycle.map(shortPath).join(" → ")}. Move the shared declaration down, or pass it in.${more}`,
    ];
  });
}

/** Returns the shortest chain within the group that crosses a folder and ends at its start. */
function shortestCycle(
  tree: SourceTree,
  graph: ImportGraph,
  group: ReadonlySet<string>,
): readonly string[] | undefined {
  let shortest: readonly string[] | undefined;
  for (const from of group)
    for (const to of graph.get(from) ?? []) {
      if (!group.has(to) || folderOf(tree, from) === folderOf(tree, to)) continue;
      const back = shortestChain(graph, to, from);
      if (back !== undefined && back.length + 1 < (shortest?.length ?? Infinity))
        shortest = [from, ...back];
    }
  return shortest;
}

function folderOf(tree: SourceTree, path: string): string {
  const file = tree.files.get(path);
  return `${file?.packageName}/${file?.folder}`;
}

function lineOf(
  tree: SourceTree,
  from: SourceFile | undefined,
  to: SourceFile | undefined,
): number | undefined {
  return from?.imports.find((reference) => importedFile(tree, reference) === to)?.line;
}
