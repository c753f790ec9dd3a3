import { cp, link, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError, systemCode } from "../../files/file-roots.ts";

/** A move of a file, a link or a folder. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** The temporary name of a copy until it is complete, and of the original until it is removed. */
  readonly temporary: string;
  readonly isFolder: boolean;
}

/**
 * Moves an entry to a free path, and never replaces another one. If the new path is on another file
 * system, the entry is copied and then removed. If the process is killed, the original or the copy
 * is complete.
 *
 * @throws FileError `exists`
 */
export async function moveEntry(move: Move): Promise<void> {
  const { from, to, temporary } = move;
  try {
    await placeEntry(move);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    await copyEntry(from, move);
    const leaving = join(dirname(from), temporary);
    await rename(from, leaving).catch(async (failure: unknown) => {
      await rm(to, { recursive: true, force: true });
      throw failure;
    });
    await rm(leaving, { recursive: true });
  }
}

/** Copies an entry to a free path. The complete copy is renamed to that path. @throws FileError */
export async function copyEntry(from: string, move: Omit<Move, "from">): Promise<void> {
  const copy = join(dirname(move.to), move.temporary);
  try {
    await cp(from, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await placeEntry({ ...move, from: copy });
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
}

/** Renames within a file system. Files use a hard link, because `rename` could replace a file. */
async function placeEntry({ from, to, isFolder }: Move): Promise<void> {
  if (isFolder) return rename(from, to);
  try {
    await link(from, to);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST")
      throw new FileError("exists", "Another program created a file of that name meanwhile.");
    if (code === "EXDEV" || code === "ENOENT") throw error;
    // Some file systems have no hard links, and some users may not make one.
    return rename(from, to);
  }
  await unlink(from);
}
