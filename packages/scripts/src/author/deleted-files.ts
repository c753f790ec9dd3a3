import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { maxSourceBytes } from "../read/read-scripts.ts";
import { readPlainFile } from "../read/script-files.ts";
import { type CreatedSource, isWithoutLinks, type NotWritten, writeNew } from "./source-file.ts";

/** The result of deleting a file. */
export type Removed =
  | { readonly status: "removed" }
  | { readonly status: "refused"; readonly message: string };

const kept = z.object({ path: z.string(), mode: z.int(), bytes: z.base64() });

/** The maximum number of deleted files that are kept; the oldest is removed first. */
const maxFiles = 100;

/** Deletes files, and keeps the last deleted file of each path so that it can be restored. */
export class DeletedFiles {
  readonly #folder: string;

  /**
   * @param folder a folder for deleted files only, which tools cannot access
   */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Deletes a file.
   *
   * @param path as a scan of its folder found it
   */
  async remove(path: string): Promise<Removed> {
    try {
      if (!(await isWithoutLinks(dirname(path))))
        return { status: "refused", message: "Its folder is a link." };
      const bytes = await readPlainFile(path, maxSourceBytes);
      if (bytes === undefined)
        return { status: "refused", message: "It is too large to keep a copy for restoring it." };
      await this.#keep(path, bytes, (await stat(path)).mode & 0o777);
      await unlink(path);
      return { status: "removed" };
    } catch (thrown) {
      const { code = "error" } = thrown as NodeJS.ErrnoException;
      return { status: "refused", message: `It cannot be deleted (${code}).` };
    }
  }

  /**
   * Restores a file to its path, unless another file is there now. Returns undefined if no such
   * file was deleted.
   */
  async restore(matches: (path: string) => boolean): Promise<CreatedSource | undefined> {
    for (const name of await this.#names()) {
      const found = await this.#read(name);
      if (found === undefined || !matches(found.path)) continue;
      const { path, mode, bytes } = found;
      if (!(await isWithoutLinks(dirname(path)))) return folderMissing;
      const written = await writeNew(path, Buffer.from(bytes, "base64"), mode);
      if (written.status === "written") await rm(join(this.#folder, name), { force: true });
      return written;
    }
    return undefined;
  }

  async #keep(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const target = join(this.#folder, `${createHash("sha256").update(path).digest("hex")}.json`);
    const draft = `${target}.${randomUUID()}.tmp`;
    const text = JSON.stringify({ path, mode, bytes: Buffer.from(bytes).toString("base64") });
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, target);
    const names = await this.#names();
    if (names.length <= maxFiles) return;
    const filesByAge = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(this.#folder, name))).mtimeMs })),
    );
    const oldest = filesByAge.sort((a, b) => a.at - b.at).slice(0, names.length - maxFiles);
    await Promise.all(oldest.map(({ name }) => rm(join(this.#folder, name), { force: true })));
  }

  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => name.endsWith(".json"));
  }

  async #read(name: string): Promise<z.infer<typeof kept> | undefined> {
    try {
      return kept.safeParse(JSON.parse(await readFile(join(this.#folder, name), "utf8"))).data;
    } catch {
      return undefined;
    }
  }
}

const folderMissing: NotWritten = {
  status: "refused",
  message: "Its former folder does not exist any more.",
};
