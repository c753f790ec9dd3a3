import { basename, isAbsolute, relative, resolve, sep } from "node:path";

/** A folder that tools can read. */
export interface Root {
  /** The first segment of its paths, if there are several roots. @default the folder's name */
  readonly name?: string;
  readonly path: string;
}

/** Returns each root with a unique name and an absolute path. */
export function namedRoots(given: readonly Root[]): readonly Required<Root>[] {
  const taken = new Set<string>();
  return given.map(({ name, path }) => {
    const absolute = resolve(path);
    const wanted = (name ?? basename(absolute)).replaceAll(/[/\\\0]/g, "-") || "root";
    let free = wanted;
    for (let n = 2; taken.has(free); n++) free = `${wanted}-${n}`;
    taken.add(free);
    return { name: free, path: absolute };
  });
}

/**
 * Returns whether an absolute path is the folder itself or is inside it. Links are not resolved.
 */
export function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below === "" || (below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}
