import type { BigIntStats } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileIdentity, isInside, linkedFiles } from "@capstan/sandbox";
import {
  type AllowedPath,
  FileError,
  type FileRoots,
  type FileToolsOptions,
  notFound,
  realOrNearest,
  systemCode,
} from "../../files/file-roots.ts";
import { openAllowed, type OpenPath } from "../../files/open-path.ts";

/** Options of the editing tools. */
export interface EditToolsOptions extends FileToolsOptions {
  /**
   * The folder that stores the former contents of changed files for Undo. It must be outside the
   * roots.
   */
  readonly changes: string;
  /** Absolute paths that the tools never change, for example the configuration. @default none */
  readonly protected?: readonly string[];
}

/** Called with the path of a folder before the folder is created. */
export type BeforeFolder = (shown: string) => Promise<void>;

/** An entry that a call may change, in an open folder. */
export interface Target extends AsyncDisposable {
  readonly shown: string;
  readonly real: string;
  /** The entry's path through the open folder, so that it stays valid if the folder is replaced. */
  readonly at: string;
  readonly folder: OpenPath;
  /** Undefined if there is no such entry. */
  readonly stats: BigIntStats | undefined;
}

/**
 * Opens the folder of a path, and checks that the path may be changed.
 *
 * @param options.follow whether a link as the last segment is followed @default true
 * @param options.beforeFolder creates missing folders on the way, and is called before each
 *   @default missing folders are an error
 * @throws FileError
 */
export async function openTarget(
  roots: FileRoots,
  path: string,
  options: Pick<EditToolsOptions, "protected"> & {
    readonly follow?: boolean;
    readonly beforeFolder?: BeforeFolder | undefined;
  },
): Promise<Target> {
  const { follow = true, beforeFolder } = options;
  const { absolute, root } = roots.locate(path);
  if (absolute === root.path)
    throw new FileError(
      "is_root",
      `"${path}" is a root of the file tools, which cannot be changed.`,
    );
  const real = follow ? await followed(absolute, path) : undefined;
  const parent = real === undefined ? dirname(absolute) : dirname(real);
  if (beforeFolder !== undefined)
    await makeMissingFolders(roots, { ...options, folder: parent, path, beforeFolder });
  const folder = await openFolder(roots, parent, path);
  try {
    const name = basename(real ?? absolute);
    const allowed = roots.check(join(folder.real, name), path);
    const at = pathIn(folder, name);
    const stats = await entryStats(at);
    const rootReals = roots.roots.flatMap((one) => one.real ?? []);
    if (rootReals.some((one) => isInside(one, allowed.real)))
      throw new FileError(
        "is_root",
        `"${path}" contains a root of the file tools, which cannot be changed.`,
      );
    if (stats !== undefined && follow && stats.isSymbolicLink())
      throw new FileError("changed", `"${path}" became a link while it was opened. Try again.`);
    if (stats !== undefined) await roots.checkLinks(stats, path);
    await checkProtected({ real: allowed.real, stats }, path, options.protected ?? []);
    await checkSpelling(allowed, { absolute, root, path, stats });
    return { ...allowed, at, folder, stats, [Symbol.asyncDispose]: () => folder.handle.close() };
  } catch (error) {
    await folder.handle.close();
    throw error;
  }
}

/**
 * Rejects a path that leads through a link, or whose case differs from the file's name. Rules,
 * approvals and locks name paths, so each file must have exactly one.
 */
async function checkSpelling(
  { real, shown }: AllowedPath,
  given: Pick<ReturnType<FileRoots["locate"]>, "absolute" | "root"> & {
    readonly path: string;
    readonly stats: BigIntStats | undefined;
  },
): Promise<void> {
  const { absolute, root, path, stats } = given;
  const plain = join(root.real ?? root.path, relative(root.path, absolute));
  const isEntry = stats !== undefined && !stats.isSymbolicLink();
  const own = isEntry ? await realpath(absolute).catch(() => real) : real;
  if (real === plain && own === plain) return;
  throw new FileError(
    "linked_path",
    `"${path}" is another name of "${real === plain ? basename(own) : shown}". Use that path.`,
  );
}

/** Returns the real path of an existing path, or `undefined` if there is none. */
async function followed(absolute: string, path: string): Promise<string | undefined> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (systemCode(error) === "ELOOP")
      throw new FileError("link_loop", `"${path}" is a link that leads to itself.`);
    const stats = await entryStats(absolute);
    if (stats?.isSymbolicLink() === true)
      throw new FileError("broken_link", `"${path}" is a link to a file that does not exist.`);
    return undefined;
  }
}

async function openFolder(roots: FileRoots, folder: string, path: string): Promise<OpenPath> {
  let real: string;
  try {
    real = await realpath(folder);
  } catch {
    throw new FileError(
      "no_folder",
      `The folder of "${path}" does not exist. MakeDirectory creates it.`,
    );
  }
  const open = await openAllowed(roots, roots.check(real, path), path);
  if (open.stats.isDirectory()) return open;
  await open.handle.close();
  throw new FileError("not_a_folder", `"${open.shown}" is a file, so "${path}" cannot be in it.`);
}

/** Creates the missing folders of a path one after another, each through its open parent. */
async function makeMissingFolders(
  roots: FileRoots,
  options: Pick<EditToolsOptions, "protected"> & {
    readonly folder: string;
    readonly path: string;
    readonly beforeFolder: BeforeFolder;
  },
): Promise<void> {
  const { folder, path, beforeFolder } = options;
  if ((await entryStats(folder)) !== undefined) return;
  await makeMissingFolders(roots, { ...options, folder: dirname(folder) });
  await using parent = await openFolder(roots, dirname(folder), path);
  const { shown, real } = roots.check(join(parent.real, basename(folder)), path);
  await checkProtected({ real, stats: undefined }, path, options.protected ?? []);
  await beforeFolder(shown);
  await mkdir(pathIn(parent, basename(folder))).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
}

/** Returns the path of an entry through the open folder. Only Linux has such paths. */
function pathIn(folder: OpenPath, name: string): string {
  return process.platform === "linux"
    ? `/proc/self/fd/${folder.handle.fd}/${name}`
    : join(folder.real, name);
}

async function entryStats(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Rejects protected paths, hard links to them, folders that contain them, and `.git` folders. */
async function checkProtected(
  { real, stats }: Pick<Target, "real" | "stats">,
  path: string,
  protectedPaths: readonly string[],
): Promise<void> {
  const problem = new FileError(
    "protected_path",
    `"${path}" is protected: tools cannot change the configuration, the folders of tools, programs, or .git.`,
  );
  if (real.split(sep).some((name) => name.toLowerCase() === ".git")) throw problem;
  const all = await Promise.all(protectedPaths.map(realOrNearest));
  if (all.some((one, index) => protects(one, protectedPaths[index] ?? one, real))) throw problem;
  if (stats?.isFile() !== true || stats.nlink < 2n) return;
  if ((await linkedFiles(all)).has(fileIdentity(stats))) throw problem;
}

/** @param given the protected path as configured; it may be a link to `one` */
function protects(one: string, given: string, real: string): boolean {
  return isInside(real, one) || isInside(one, real) || isInside(given, real);
}

/** Returns the target's stats. @throws FileError `not_found` if there is no such entry */
export function existing({ stats }: Target, path: string): BigIntStats {
  if (stats === undefined) throw notFound(path);
  return stats;
}
