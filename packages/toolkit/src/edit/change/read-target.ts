import { constants } from "node:fs";
import { copyFile, type FileHandle, open } from "node:fs/promises";
import { FileError, systemCode } from "../../files/file-roots.ts";
import type { Target } from "./open-target.ts";

/** Does not follow links, and does not wait for the writer of a pipe. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const pieceBytes = 512 * 1024;

/** Reads the file that was checked. @throws FileError `changed` if it was replaced since */
export async function readTarget(target: Target): Promise<Uint8Array> {
  await using handle = await openChecked(target);
  return await handle.readFile();
}

/**
 * Returns whether the file that was checked has exactly these bytes. Reads it in chunks, so that a
 * large file is not copied into memory.
 *
 * @throws FileError `changed` if it was replaced since
 */
export async function hasContent(target: Target, content: Uint8Array): Promise<boolean> {
  if (target.stats?.size !== BigInt(content.length)) return false;
  await using handle = await openChecked(target);
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, content.length + 1));
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return at === content.length;
    const expected = content.subarray(at, at + bytesRead);
    if (Buffer.compare(piece.subarray(0, bytesRead), expected) !== 0) return false;
    at += bytesRead;
  }
}

/** Copies the file that was checked to a new file, durably. @throws FileError `changed` */
export async function copyTarget(target: Target, to: string): Promise<void> {
  await using source = await openChecked(target);
  const from = process.platform === "linux" ? `/proc/self/fd/${source.fd}` : target.at;
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await using copy = await open(to, "r");
  await copy.sync();
}

async function openChecked({ at, shown, stats }: Target): Promise<FileHandle> {
  const changed = new FileError(
    "changed",
    `"${shown}" was replaced while it was read. Nothing was changed; try again.`,
  );
  let handle: FileHandle;
  try {
    handle = await open(at, flags);
  } catch (error) {
    if (["ELOOP", "ENXIO", "ENOENT"].includes(systemCode(error) ?? "")) throw changed;
    throw error;
  }
  const now = await handle.stat({ bigint: true });
  if (now.isFile() && now.ino === stats?.ino && now.dev === stats.dev) return handle;
  await handle.close();
  throw changed;
}
