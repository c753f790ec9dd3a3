import type { Dirent } from "node:fs";
import { type AllowedPath, FileError, type FileRoots } from "./file-roots.ts";
import { entriesOf, entryAt, openAllowed } from "./open-path.ts";

export interface WalkedEntry extends AllowedPath {
  readonly name: string;
  /** The path relative to the walked folder, with `/`. */
  readonly below: string;
  readonly type: "file" | "folder" | "link" | "other";
  /** The depth: 1 for entries of the folder itself. */
  readonly depth: number;
  /** Why the walk skips this folder. */
  readonly skipped?: "dependencies" | "unreadable";
}

export interface WalkOptions {
  /** The number of levels. @default all */
  readonly depth?: number;
  /** Whether to go into `node_modules` and `.git`. @default false */
  readonly dependencies?: boolean;
  readonly signal: AbortSignal;
}

const dependencyFolders = new Set(["node_modules", ".git"]);

/**
 * Yields the entries of a folder and its subfolders, sorted by name, each folder right before its
 * content. Lists links but does not follow them, so the walk always ends. Omits hidden and denied
 * entries.
 *
 * @throws FileError if the folder itself cannot be read.
 */
export async function* walkFiles(
  roots: FileRoots,
  start: AllowedPath,
  options: WalkOptions,
): AsyncGenerator<WalkedEntry> {
  const { depth: deepest = Number.POSITIVE_INFINITY, dependencies = false, signal } = options;
  const visible = async (folder: AllowedPath) =>
    (await readFolder(roots, folder)).filter(
      ({ name }) => !roots.isHidden(name) && !roots.isDenied(entryAt(folder, name)),
    );
  // A list of remaining entries for each level replaces recursion, which could overflow the stack.
  const levels = [{ folder: start, below: "", entries: (await visible(start)).values() }];
  for (;;) {
    const level = levels.at(-1);
    if (level === undefined) return;
    signal.throwIfAborted();
    const next = level.entries.next();
    if (next.done === true) {
      levels.pop();
      continue;
    }
    const { name } = next.value;
    const entry: WalkedEntry = {
      name,
      below: level.below + name,
      ...entryAt(level.folder, name),
      type: typeOf(next.value),
      depth: levels.length,
    };
    if (entry.type !== "folder" || levels.length >= deepest) {
      yield entry;
    } else if (!dependencies && dependencyFolders.has(name)) {
      yield { ...entry, skipped: "dependencies" };
    } else {
      const entries = await visible(entry).catch(() => undefined);
      yield entries === undefined ? { ...entry, skipped: "unreadable" } : entry;
      if (entries === undefined) continue;
      levels.push({ folder: entry, below: `${entry.below}/`, entries: entries.values() });
    }
  }
}

/** The entries of a folder by name, folders and files mixed. */
async function readFolder(roots: FileRoots, folder: AllowedPath): Promise<Dirent[]> {
  await using opened = await openAllowed(roots, folder);
  if (!opened.stats.isDirectory()) {
    throw new FileError(
      "not_a_folder",
      `"${folder.shown}" is a file, not a folder. ViewFile reads it.`,
    );
  }
  return (await entriesOf(opened)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeOf(entry: Dirent): WalkedEntry["type"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}
