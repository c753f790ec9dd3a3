import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { DeniedResources } from "@capstan/core";
import { deniedPart, deniesPath } from "@capstan/core/host";
import { namedRoots, type Root } from "./named-roots.ts";
import { type WalkBudget, walk } from "./walk.ts";

const newBudget = (): WalkBudget => ({ most: 200_000, seen: 0, tooMany });

function tooMany(folder: string, most: string): string {
  return `The rules deny paths in ${folder}, which has more than ${most} entries. Deny folders by their names from the root, such as "secrets/**", or open smaller roots.`;
}

/**
 * Returns the paths in roots that deny rules name, absolute and without links. The result contains
 * a denied folder itself, but not its contents.
 *
 * @throws CapstanError `too_many_files` if the roots are too large to find all of them
 */
export async function deniedPaths(
  roots: readonly Root[],
  denied: DeniedResources,
): Promise<readonly string[]> {
  if (denied.paths.length === 0) return [];
  const found: string[] = [];
  const budget = newBudget();
  for (const { name, path: root } of namedRoots(roots)) {
    const real = await realpath(root).catch(() => undefined);
    if (real === undefined) continue;
    await walk(real, budget, (below, entry) => {
      const absolute = join(real, below);
      const path = { shown: roots.length > 1 ? `${name}/${below}` : below, real: absolute };
      const part = entry.isDirectory()
        ? deniedPart(denied, path)
        : deniesPath(denied, path)
          ? "all"
          : "none";
      if (part === "all") found.push(absolute);
      return part === "some";
    });
  }
  return found;
}

/** Returns the identities of the files in these paths that have more than one name: hard links. */
export async function linkedFiles(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const linked = new Set<string>();
  const note = async (path: string): Promise<void> => {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    if (stats?.isFile() === true && stats.nlink > 1n) linked.add(fileIdentity(stats));
  };
  const budget = newBudget();
  for (const path of paths) {
    await note(path);
    await walk(path, budget, async (below, entry) => {
      if (entry.isFile()) await note(join(path, below));
      return true;
    });
  }
  return linked;
}

/**
 * Returns a file's device and inode as text. All hard links to a file have the same identity.
 */
export function fileIdentity({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/**
 * Returns all paths that a program must not see: the paths that rules deny in the roots, other
 * names of those files (hard links) in the folders that the program sees, and the paths that are
 * always hidden.
 *
 * @throws CapstanError `too_many_files`
 */
export async function hiddenPaths(options: {
  /** The roots to which the rules apply. */
  readonly roots: readonly Root[];
  readonly denied: DeniedResources;
  readonly always: readonly string[];
  /** Absolute paths of folders that the program sees. */
  readonly visible: readonly string[];
}): Promise<readonly string[]> {
  const paths = await deniedPaths(options.roots, options.denied);
  const linked = await linkedFiles(paths);
  return [...options.always, ...paths, ...(await namesOf(linked, options.visible))];
}

/**
 * Returns the other names that hard links give to files below folders. Folders among `files` are
 * not searched.
 *
 * @throws CapstanError `too_many_files`
 */
export async function otherNames(
  files: readonly string[],
  folders: readonly string[],
): Promise<readonly string[]> {
  const stats = await Promise.all(
    files.map((path) => lstat(path, { bigint: true }).catch(() => undefined)),
  );
  const linked = stats.filter((one) => one?.isFile() === true && one.nlink > 1n);
  return namesOf(new Set(linked.flatMap((one) => (one ? [fileIdentity(one)] : []))), folders);
}

async function namesOf(
  files: ReadonlySet<string>,
  folders: readonly string[],
): Promise<readonly string[]> {
  const names: string[] = [];
  if (files.size === 0) return names;
  const budget = newBudget();
  for (const folder of folders)
    await walk(folder, budget, async (below, entry) => {
      const path = join(folder, below);
      if (!entry.isFile()) return true;
      const stats = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stats !== undefined && files.has(fileIdentity(stats))) names.push(path);
      return false;
    });
  return names;
}
