import type { FileContents } from "../definition/parsed-file.ts";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/**
 * Keeps immutable copies of scripts, each in a folder named by its content, so that the version
 * that was read and approved is the one that runs.
 */
export class ScriptVersions {
  readonly #folder: string;

  /**
   * @param folder a folder for copies only, which tools cannot access
   */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores a copy.
   *
   * @returns the absolute path of its folder
   */
  async keep(contentHash: string, contents: FileContents): Promise<string> {
    const target = this.#place(contentHash);
    if (await exists(target)) return target;
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      for (const folder of new Set([...contents.keys()].map((name) => dirname(name))))
        await mkdir(join(temporary, folder), { recursive: true });
      for (const [name, bytes] of contents)
        await writeFile(join(temporary, name), bytes, { mode: 0o444 });
      await rename(temporary, target);
    } catch (thrown) {
      await rm(temporary, { recursive: true, force: true });
      // Another process stored the same content first.
      if (!(await exists(target))) throw thrown;
    }
    return target;
  }

  /** Returns undefined if there is no copy of that content. */
  async read(contentHash: string): Promise<FileContents | undefined> {
    const folder = this.#place(contentHash);
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = found.filter((item) => item.isFile());
    if (files.length === 0) return undefined;
    const contents = await Promise.all(
      files.map(async (item) => {
        const path = join(item.parentPath, item.name);
        return [relative(folder, path).replaceAll(sep, "/"), await readFile(path)] as const;
      }),
    );
    return new Map(contents.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Removes the copies of all other contents. */
  async prune(contentHashes: ReadonlySet<string>): Promise<void> {
    const used = new Set([...contentHashes].map((hash) => this.#place(hash)));
    const names = await readdir(this.#folder).catch(() => []);
    const unused = names.map((name) => join(this.#folder, name)).filter((path) => !used.has(path));
    await Promise.all(unused.map((path) => rm(path, { recursive: true, force: true })));
  }

  #place(contentHash: string): string {
    return join(this.#folder, contentHash.replace(":", "-"));
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
