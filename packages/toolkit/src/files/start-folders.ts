import type { FileRoots } from "./file-roots.ts";

/** Where a search begins: the path, or every root where there are several and none is named. */
export function startFolders({ roots }: FileRoots, path: string): readonly string[] {
  const everywhere = roots.length > 1 && /^[./\\]*$/.test(path);
  return everywhere ? roots.map(({ name }) => name) : [path];
}
