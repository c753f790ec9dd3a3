import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BlobStore } from "./blob-store.ts";
import { type ByteRange, type ReceivedBlob, writePieces } from "./received-blob.ts";

const unfinished = ".tmp";

/** The subfolder for bytes whose hash is not known yet. */
const incoming = "incoming";

/**
 * Blobs as files of a data directory: `blobs/ab/cdef…`, where `ab` are the first two digits of the
 * hash.
 *
 * A file is written under another name, flushed and renamed, and its folder is flushed. So a file
 * that has its name is complete, even after a power failure.
 */
export class DiskBlobs implements BlobStore {
  readonly #folder: string;
  /** Pending writes by hash: a file can have its final name before its folder is flushed. */
  readonly #writing = new Map<string, Promise<void>>();
  /** The subfolders that this process has flushed. */
  readonly #flushed = new Set<string>();
  #written = 0;

  /** @param folder created with the first blob */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when the blob is durable, even if another call writes it. */
  put({ sha256, bytes }: { sha256: string; bytes: Uint8Array }): Promise<void> {
    return this.#once(sha256, () =>
      this.#add(sha256, async (path) => {
        const temporary = `${path}.${this.#nextName()}`;
        try {
          const file = await open(temporary, "wx", 0o600);
          try {
            await file.writeFile(bytes);
            await file.sync();
          } finally {
            await file.close();
          }
          await rename(temporary, path);
        } catch (error) {
          await rm(temporary, { force: true });
          throw error;
        }
      }),
    );
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const folder = join(this.#folder, incoming);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, this.#nextName());
    const discard = () => rm(temporary, { force: true });
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        const { sha256, size } = await writePieces(file, pieces);
        await file.sync();
        const keep = () =>
          this.#once(sha256, () => this.#add(sha256, (path) => rename(temporary, path)));
        return { sha256, size, keep, discard };
      } finally {
        await file.close();
      }
    } catch (error) {
      await discard();
      throw error;
    }
  }

  #nextName(): string {
    return `${process.pid}-${(this.#written += 1)}${unfinished}`;
  }

  #once(sha256: string, write: () => Promise<void>): Promise<void> {
    const known = this.#writing.get(sha256);
    if (known !== undefined) return known;
    const written = write().finally(() => this.#writing.delete(sha256));
    this.#writing.set(sha256, written);
    return written;
  }

  /** Calls `create` with the path of the blob's file, unless the file exists. */
  async #add(sha256: string, create: (path: string) => Promise<void>): Promise<void> {
    const path = this.path(sha256);
    const folder = dirname(path);
    if (await this.has(sha256)) {
      // A process that was killed can have renamed the file without flushing its folder.
      if (!this.#flushed.has(folder)) await this.#flush(folder);
      return;
    }
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await create(path);
    // A new folder is an entry of its parent folder, which must be flushed as well.
    if (made === undefined) await flushFolder(folder);
    else await this.#flush(folder);
  }

  /** Flushes a subfolder and the folders that contain it. */
  async #flush(folder: string): Promise<void> {
    for (const each of [folder, this.#folder, dirname(this.#folder)]) await flushFolder(each);
    this.#flushed.add(folder);
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    return undefinedIfMissing(() => readFile(this.path(sha256)));
  }

  async stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (!(await this.has(sha256))) return undefined;
    if (range === undefined) return createReadStream(this.path(sha256));
    if (range.to <= range.from) return noBytes();
    return createReadStream(this.path(sha256), { start: range.from, end: range.to - 1 });
  }

  async has(sha256: string): Promise<boolean> {
    return (await undefinedIfMissing(() => stat(this.path(sha256)))) !== undefined;
  }

  async delete(sha256: string): Promise<void> {
    await rm(this.path(sha256), { force: true });
  }

  async *list(): AsyncGenerator<string> {
    for (const shard of (await undefinedIfMissing(() => readdir(this.#folder))) ?? []) {
      for (const name of (await undefinedIfMissing(() => readdir(join(this.#folder, shard)))) ?? [])
        if (/^[0-9a-f]{62}$/.test(name)) yield shard + name;
    }
  }

  /**
   * Deletes half-written files that a crash left. Only the process that holds the data directory
   * may call it.
   */
  async deleteUnfinished(): Promise<void> {
    for (const shard of (await undefinedIfMissing(() => readdir(this.#folder))) ?? []) {
      for (const name of (await undefinedIfMissing(() => readdir(join(this.#folder, shard)))) ?? [])
        if (name.endsWith(unfinished)) await rm(join(this.#folder, shard, name), { force: true });
    }
  }

  async close(): Promise<void> {}

  /** Returns the path of a blob's file, whether or not the file exists. */
  path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256.slice(2));
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/**
 * A rename survives a power failure once its folder is flushed. Windows cannot flush folders and
 * does not need to.
 */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
