import { type FSWatcher, watch } from "node:fs";
import { isCache } from "../read/script-files.ts";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * The number of ms without a change before the folders are read, because saving a file causes
 * several changes.
 */
const debounceMs = 40;
/** The maximum wait in ms while changes continue. */
const maxWaitMs = 400;

interface FolderWatchOptions {
  readonly folders: readonly string[];
  readonly onChange: () => void;
  /** Called with the reason if a folder cannot be watched. */
  readonly onProblem: (message: string) => void;
}

/**
 * Watches folders and everything below them, also folders that are created later. It uses the
 * operating system's notifications and does not poll.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watchers = new Map<string, { readonly inode: bigint; readonly watcher: FSWatcher }>();
  #targets: WatchedFolders = new Map();
  #following: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #firstAt: number | undefined;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /**
   * Watches the folders that exist now. Calls run one after another, because two at once would undo
   * each other.
   */
  follow(): Promise<void> {
    this.#following = this.#following.then(() => this.#follow());
    return this.#following;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #follow(): Promise<void> {
    const targets = await foldersToWatch(this.#options.folders);
    if (this.#closed) return;
    this.#targets = targets;
    for (const [path, { inode, watcher }] of this.#watchers) {
      // A folder that was replaced by another of the same name has another inode.
      if (targets.get(path)?.inode === inode) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const [path, { inode }] of targets)
      if (!this.#watchers.has(path)) this.#watch(path, inode);
  }

  #watch(path: string, inode: bigint): void {
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        const names = this.#targets.get(path)?.names;
        if (name === null || (names === "all" ? !isCache(name) : names?.has(name) === true))
          this.#changed();
      });
      watcher.on("error", () => {
        watcher.close();
        this.#watchers.delete(path);
        this.#changed();
      });
      this.#watchers.set(path, { inode, watcher });
    } catch (thrown) {
      const { code = "error" } = thrown as NodeJS.ErrnoException;
      // The folder was removed again, which its parent reports.
      if (code === "ENOENT") return;
      this.#options.onProblem(
        `${path} cannot be watched (${code}): changes in it take effect at the next start.`,
      );
    }
  }

  #changed(): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#firstAt ??= now;
    clearTimeout(this.#timer);
    const delay = Math.max(0, Math.min(debounceMs, this.#firstAt + maxWaitMs - now));
    this.#timer = setTimeout(() => void this.#notify(), delay);
  }

  async #notify(): Promise<void> {
    this.#firstAt = undefined;
    // New folders are watched before they are read, so that no change is missed.
    await this.follow();
    if (!this.#closed) this.#options.onChange();
  }
}

/** By path: the folder's inode, and the names in it that matter. */
type WatchedFolders = Map<string, { readonly inode: bigint; readonly names: "all" | Set<string> }>;

/**
 * The maximum number of watched folders, so that a wrong setting such as a home folder does not use
 * up the system's watches.
 */
const maxFolders = 2_000;

const ignored = new Set(["node_modules", ".git", ".venv", "__pycache__"]);

/**
 * Returns the folders, everything below them, and the parents that report when they are created or
 * removed. For a missing folder it is the nearest existing parent.
 */
async function foldersToWatch(folders: readonly string[]): Promise<WatchedFolders> {
  const targets: WatchedFolders = new Map();
  for (const folder of folders) {
    await descend(folder, targets);
    let [name, above] = [basename(folder), dirname(folder)];
    while (above !== folder) {
      const inode = await inodeOf(above);
      const known = targets.get(above)?.names;
      if (inode !== undefined) {
        if (known instanceof Set) known.add(name);
        else if (known === undefined) targets.set(above, { inode, names: new Set([name]) });
        break;
      }
      if (above === dirname(above)) break;
      [name, above] = [basename(above), dirname(above)];
    }
  }
  return targets;
}

async function descend(folder: string, targets: WatchedFolders): Promise<void> {
  const inode = await inodeOf(folder);
  if (inode === undefined || targets.size >= maxFolders) return;
  targets.set(folder, { inode, names: "all" });
  const items = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const item of items)
    if (item.isDirectory() && !ignored.has(item.name))
      await descend(join(folder, item.name), targets);
}

/** Returns undefined if there is no such folder. */
async function inodeOf(path: string): Promise<bigint | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() === true ? found.ino : undefined;
}
