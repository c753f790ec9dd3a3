import { constants } from "node:fs";
import { type FileHandle, link, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError, systemCode } from "../../files/file-roots.ts";
import type { Target } from "./open-target.ts";

/**
 * Replaces a file atomically: readers see the old or the new content, never a part. Keeps the
 * permissions of a file that it replaces.
 *
 * @param options.temporary the name of the file until it is complete
 * @param options.mode the permissions of a new file @default 0o666 minus the process's umask
 * @throws FileError `exists` if a new file was created by another program meanwhile
 */
export async function replaceFile(
  target: Target,
  content: Uint8Array,
  options: { readonly temporary: string; readonly mode?: number | undefined },
): Promise<void> {
  const { stats } = target;
  const permissions = stats === undefined ? options.mode : Number(stats.mode & 0o7777n);
  const temporary = join(dirname(target.at), options.temporary);
  const handle = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    // Only the owner may read the file until it has its final permissions.
    permissions === undefined ? 0o666 : 0o600,
  );
  try {
    await writeAll(handle, content);
    if (permissions !== undefined) await handle.chmod(permissions & 0o777);
    // A server that runs as root must not become the owner of a user's file.
    if (stats !== undefined && process.getuid?.() === 0)
      await handle.chown(Number(stats.uid), Number(stats.gid)).catch(() => {});
    await handle.sync();
    await handle.close();
    await (target.stats === undefined ? place(temporary, target) : rename(temporary, target.at));
    await target.folder.handle.sync().catch(() => {});
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Gives a new file its name, unless another program has created one of that name. */
async function place(temporary: string, { at, shown }: Target): Promise<void> {
  try {
    await link(temporary, at);
  } catch (error) {
    if (systemCode(error) === "EEXIST")
      throw new FileError("exists", `"${shown}" was created by another program meanwhile.`);
    // Some file systems have no hard links.
    await rename(temporary, at);
    return;
  }
  await unlink(temporary);
}

async function writeAll(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.length;) {
    const { bytesWritten } = await handle.write(content, at, content.length - at, at);
    at += bytesWritten;
  }
}
