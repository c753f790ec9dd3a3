import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** By path: which folder it is now, and which names in it matter. */
export type WatchedFolders = Map<
  string,
  { readonly inode: bigint; readonly names: "all" | Set<string> }
>;

/** Folders watched: a mistake such as a home folder must not take all watches there are. */
const maxFolders = 2_000;

const ignored = new Set(["node_modules", ".git", ".venv", "__pycache__"]);

/**
 * Folders and all below them, and what is above them, by which their coming and going is told. Of a
 * folder that is missing: the nearest above it that is there.
 */
export async function foldersToWatch(folders: readonly string[]): Promise<WatchedFolders> {
  const wanted: WatchedFolders = new Map();
  for (const folder of folders) {
    await descend(folder, wanted);
    let [name, above] = [basename(folder), dirname(folder)];
    while (above !== folder) {
      const inode = await inodeOf(above);
      const known = wanted.get(above)?.names;
      if (inode !== undefined) {
        if (known instanceof Set) known.add(name);
        else if (known === undefined) wanted.set(above, { inode, names: new Set([name]) });
        break;
      }
      if (above === dirname(above)) break;
      [name, above] = [basename(above), dirname(above)];
    }
  }
  return wanted;
}

async function descend(folder: string, wanted: WatchedFolders): Promise<void> {
  const inode = await inodeOf(folder);
  if (inode === undefined || wanted.size >= maxFolders) return;
  wanted.set(folder, { inode, names: "all" });
  const items = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const item of items)
    if (item.isDirectory() && !ignored.has(item.name))
      await descend(join(folder, item.name), wanted);
}

/** Undefined where there is no such folder. */
async function inodeOf(path: string): Promise<bigint | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() === true ? found.ino : undefined;
}
