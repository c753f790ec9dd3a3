import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nearestNames } from "@capstan/core/host";
import { didYouMean } from "../text/did-you-mean.ts";
import { type AllowedPath, FileError, type FileRoots, notFound, systemCode } from "./file-roots.ts";

export interface OpenPath extends AsyncDisposable {
  readonly shown: string;
  readonly real: string;
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Reject a link as the last segment, and do not wait for the writer of a pipe. Windows has neither
 * flag.
 */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file or a folder inside the roots. Checks the opened file instead of the requested path,
 * so a link that another program inserts meanwhile causes an error.
 *
 * @throws FileError
 */
export async function openPath(roots: FileRoots, path: string): Promise<OpenPath> {
  const allowed = await resolveOrSuggest(roots, path);
  return openAllowed(roots, allowed, path);
}

/** Opens a path whose links are already resolved, e.g. an entry of a folder. @throws FileError */
export async function openAllowed(
  roots: FileRoots,
  allowed: AllowedPath,
  asked: string = allowed.shown,
): Promise<OpenPath> {
  let handle: FileHandle;
  try {
    handle = await open(allowed.real, flags);
  } catch (error) {
    throw openFailure(error, asked);
  }
  try {
    const stats = await handle.stat();
    if (stats.nlink > 1) await roots.checkLinks(await handle.stat({ bigint: true }), asked);
    const { shown, real } = roots.check(await pathOf(handle, allowed.real, stats), asked);
    return { shown, real, handle, stats, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns the entries of an open folder, even if its path now leads elsewhere. */
export function entriesOf(folder: OpenPath): Promise<Dirent[]> {
  const byHandle = `/proc/self/fd/${folder.handle.fd}`;
  return readdir(process.platform === "linux" ? byHandle : folder.real, { withFileTypes: true });
}

/** Returns the shown and the real path of a folder's entry. */
export function entryAt({ shown, real }: AllowedPath, name: string): AllowedPath {
  return { shown: shown === "." ? name : `${shown}/${name}`, real: join(real, name) };
}

/** Returns the real path of an open file. */
async function pathOf(handle: FileHandle, path: string, stats: Stats): Promise<string> {
  if (process.platform === "linux") {
    const found = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (found !== undefined) return found;
  }
  // Other systems cannot return the path of an open file, so check that the path still leads to it.
  const real = await realpath(path);
  const now = await lstat(real);
  if (now.ino !== stats.ino || now.dev !== stats.dev) {
    throw new FileError("changed", `"${path}" was replaced while it was opened. Try again.`);
  }
  return real;
}

async function resolveOrSuggest(roots: FileRoots, path: string): Promise<AllowedPath> {
  try {
    return await roots.resolve(path);
  } catch (error) {
    if (!(error instanceof FileError) || error.data.code !== "not_found") throw error;
    throw new FileError("not_found", error.message + (await suggestion(roots, path)));
  }
}

/** Returns the most similar names in the last existing folder of the path. */
async function suggestion(roots: FileRoots, path: string): Promise<string> {
  const { root, absolute } = roots.locate(path);
  if (absolute === root.path) return ` The root ${root.name} itself is missing.`;
  const parent = dirname(absolute);
  try {
    const allowed = await roots.resolve(parent);
    await using folder = await openAllowed(roots, allowed);
    const names = (await entriesOf(folder))
      .map(({ name }) => name)
      .filter((name) => !roots.isHidden(name) && !roots.isDenied(entryAt(folder, name)));
    const near = nearestNames(absolute.slice(parent.length + 1), names);
    return didYouMean(near) || ` ListFiles lists "${folder.shown}".`;
  } catch {
    return ` Its folder does not exist either. Use ListFiles to find a valid path.`;
  }
}

function openFailure(error: unknown, asked: string): FileError {
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return notFound(asked);
    case "EACCES":
    case "EPERM":
      return new FileError(
        "no_permission",
        `"${asked}" is not readable for the user that runs Capstan.`,
      );
    case "ELOOP":
      return new FileError("changed", `"${asked}" became a link while it was opened. Try again.`);
    case "ENXIO":
      return new FileError("not_a_file", `"${asked}" is neither a file nor a folder.`);
    default:
      return new FileError("unreadable", `"${asked}" cannot be opened (${systemCode(error)}).`);
  }
}
