import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../files/file-roots.ts";

/** The maximum number of entries in a folder that is moved or removed. */
const mostEntries = 200_000;

/** The contents of a folder, at any depth. */
export interface FolderContent {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Counts the entries of a folder that is going to be moved or removed. Links are not followed.
 *
 * @param path for errors
 * @throws FileError `protected_path` if it holds the history of a repository, `not_a_file` if it
 *   holds a device, pipe or socket, which Undo cannot restore, `too_large`
 */
export async function inspectFolder(
  at: string,
  path: string,
  signal: AbortSignal,
): Promise<FolderContent> {
  let entries = 0;
  let bytes = 0;
  const waiting = [at];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (++entries > mostEntries)
        throw new FileError(
          "too_large",
          `The folder "${path}" has more than ${mostEntries} entries. Choose folders in it.`,
        );
      if (entry.name.toLowerCase() === ".git")
        throw new FileError(
          "protected_path",
          `The folder "${path}" contains a .git, which tools cannot change.`,
        );
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(inner);
      else if (entry.isFile()) bytes += (await lstat(inner)).size;
      else if (!entry.isSymbolicLink())
        throw new FileError(
          "not_a_file",
          `The folder "${path}" contains a device, pipe or socket, which Undo could not restore.`,
        );
    }
  }
  return { entries, bytes };
}
