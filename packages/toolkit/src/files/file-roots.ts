import type { BigIntStats } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type DeniedResources, toolError, type ToolError, type ToolErrorData } from "@capstan/core";
import { deniesPath } from "@capstan/core/host";
import {
  deniedPaths,
  fileIdentity,
  isInside,
  linkedFiles,
  namedRoots,
  type Root,
} from "@capstan/sandbox";
import { FileError } from "./file-error.ts";

export { FileError } from "./file-error.ts";

/** The folders that the file tools read, and the paths in them that are denied. */
export interface FileToolsOptions {
  /**
   * The only folders that the tools can read. If there are several, each path starts with a root's
   * name.
   */
  readonly roots: readonly Root[];
  /** Absolute paths that are never shown, including their contents, e.g. the data directory. */
  readonly deny?: readonly string[];
  /** Whether names that begin with a dot are shown. @default false */
  readonly dotfiles?: boolean;
}

export interface FileRoot {
  readonly name: string;
  /** The configured path, made absolute. */
  readonly path: string;
  /** The path with links resolved; undefined if the folder does not exist. */
  readonly real: string | undefined;
}

/** The longest path, in characters: no common system opens a longer one. */
const longestPath = 4_096;

/** A path that a call is allowed to read. */
export interface AllowedPath {
  /** The path as users and models see it, with `/`. It is `.` for the only root. */
  readonly shown: string;
  /** The real path: absolute, with links resolved. */
  readonly real: string;
}

/** Checks which paths one call can access. */
export type FileRoots = Awaited<ReturnType<typeof fileRoots>>;

/**
 * Returns the access checks for one call. Links in the roots' paths are resolved now.
 *
 * @param resources the paths that deny rules name
 */
export async function fileRoots(options: FileToolsOptions, resources: DeniedResources) {
  const roots = await nameRoots(options.roots);
  const denied = await Promise.all(
    (options.deny ?? []).map((path) => realOrNearest(resolve(path))),
  );
  let linked: Promise<ReadonlySet<string>> | undefined;
  const dotfiles = options.dotfiles ?? false;
  /** Whether an entry of this name is hidden. */
  const isHidden = (name: string): boolean => !dotfiles && name.startsWith(".");
  const several = roots.length > 1;

  /** Resolves a path within the roots, without following links. @throws FileError */
  function locate(path: string) {
    if (path.length > longestPath)
      throw new FileError(
        "invalid_path",
        `The path has ${path.length} characters; at most ${longestPath} are allowed.`,
      );
    if (path.includes("\0")) throw new FileError("invalid_path", "The path has a NUL character.");
    const asked = path.trim() === "" ? "." : path;
    const [first = "", ...rest] = asked
      .split(/[/\\]/)
      .filter((part) => part !== "" && part !== ".");
    const [only] = roots;
    let found: { root: FileRoot; absolute: string } | undefined;
    if (isAbsolute(asked)) {
      const absolute = resolve(asked);
      const root = roots.find((candidate) => isInside(absolute, candidate.path));
      if (root !== undefined) found = { root, absolute };
    } else if (!several && only !== undefined) {
      found = { root: only, absolute: resolve(only.path, asked) };
    } else {
      const root = roots.find(({ name }) => name === first);
      if (root !== undefined) found = { root, absolute: resolve(root.path, ...rest) };
    }
    if (found === undefined || !isInside(found.absolute, found.root.path)) throw outside(path);
    if (partsBelow(found.absolute, found.root.path).some(isHidden)) throw hidden(path);
    return found;
  }

  /**
   * Throws if a real path, e.g. of an open file, is outside the roots or hidden. @throws FileError
   */
  function check(real: string, asked: string): AllowedPath {
    for (const root of roots) {
      if (root.real === undefined || !isInside(real, root.real)) continue;
      const parts = partsBelow(real, root.real);
      if (parts.some(isHidden)) throw hidden(asked);
      if (denied.some((path) => isInside(real, path))) throw notFound(asked);
      const shown = [...(several ? [root.name] : []), ...parts].join("/") || ".";
      if (isDenied({ shown, real })) throw deniedByRule(asked);
      return { shown, real };
    }
    throw outside(asked);
  }

  /**
   * Whether lists omit an entry, because it is hidden, or the configuration or a rule denies it.
   */
  function isDenied(path: AllowedPath): boolean {
    return denied.includes(path.real) || deniesPath(resources, path);
  }

  /** Throws if an open file is a hard link to a denied file. @throws FileError */
  async function checkLinks(stats: BigIntStats, asked: string): Promise<void> {
    if (resources.paths.length === 0 || stats.nlink < 2n || !stats.isFile()) return;
    linked ??= deniedPaths(options.roots, resources).then(linkedFiles);
    if ((await linked).has(fileIdentity(stats))) throw deniedByRule(asked);
  }

  function deniedByRule(path: string): FileError {
    return new FileError("denied_path", `A rule denies "${path}", or its link target.`);
  }

  function outside(path: string): FileError {
    const list = roots.map(({ name, path }) => (several ? `${name} (${path})` : path)).join(", ");
    const hint = several
      ? `Paths begin with a root's name, e.g. ${roots[0]?.name}/README.md.`
      : "Paths are relative to it.";
    return new FileError(
      "outside_roots",
      roots.length === 0
        ? "The file tools have no folders to read."
        : `"${path}" is outside the readable folders: ${list}. ${hint}`,
    );
  }

  function hidden(path: string): FileError {
    return new FileError(
      "hidden_path",
      `"${path}" is hidden: names that begin with a dot are not shown.`,
    );
  }

  return {
    roots,
    isHidden,
    isDenied,
    locate,
    check,
    checkLinks,
    /**
     * Resolves a path within the roots and follows its links. Rejects links that lead outside.
     * @throws FileError
     */
    async resolve(path: string): Promise<AllowedPath> {
      const { absolute } = locate(path);
      let real: string;
      try {
        real = await realpath(absolute);
      } catch (error) {
        if (systemCode(error) === "ELOOP") {
          throw new FileError("link_loop", `"${path}" is a link that leads to itself.`);
        }
        throw notFound(path);
      }
      return check(real, path);
    },
  };
}

/**
 * Returns the error for a missing path. Hidden paths have the same error whether they exist or not.
 */
export function notFound(path: string): FileError {
  return new FileError("not_found", `There is no "${path}".`);
}

function partsBelow(path: string, folder: string): readonly string[] {
  return relative(folder, path)
    .split(sep)
    .filter((part) => part !== "");
}

/** Resolves a denied path. If it does not exist yet, resolves its nearest existing folder. */
export async function realOrNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realOrNearest(parent), basename(path));
  }
}

async function nameRoots(given: FileToolsOptions["roots"]): Promise<readonly FileRoot[]> {
  return Promise.all(
    namedRoots(given).map(async ({ name, path }) => {
      const real = await realpath(path).catch(() => undefined);
      return { name, path, real };
    }),
  );
}

/**
 * Returns the folders of a search: the path, or every root if there are several and none is named.
 */
export function startFolders({ roots }: FileRoots, path: string): readonly string[] {
  const everywhere = roots.length > 1 && /^[./\\]*$/.test(path);
  return everywhere ? roots.map(({ name }) => name) : [path];
}

/** The errors that a path can cause in every file tool, for their documentation. */
export const pathErrors = {
  denied_path: "An administrator's rule denies the path.",
  hidden_path: "A name in the path begins with a dot.",
  invalid_path: "The path contains a NUL character, or it or a name in it is too long.",
  link_loop: "The path is a link that leads to itself.",
  no_permission: "The user that runs Capstan has no permission.",
  not_found: "The path does not exist; the message names similar paths.",
  outside_roots: "The path is outside the configured folders.",
  unreadable: "The system refused to read; another attempt may succeed.",
};

/** The `code` of a system error: `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

const noSpace = {
  code: "no_space",
  message: "The disk or the user's quota is full. Nothing was changed.",
};
const noPermission = {
  code: "no_permission",
  message: "The user that runs Capstan has no permission for it.",
};

/** System errors for which a retry is useless. */
const systemFailures: { readonly [code: string]: ToolErrorData | undefined } = {
  ENOSPC: noSpace,
  EDQUOT: noSpace,
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: { code: "no_permission", message: "Its file system is read-only." },
  ENAMETOOLONG: { code: "invalid_path", message: "A name in the path is too long." },
};

function unreadable(code: string): ToolErrorData {
  return {
    code: "unreadable",
    message: `The system refused to read or write it (${code}). The file may have changed; try again.`,
    retryable: true,
  };
}

/**
 * Converts errors of paths and of the disk to tool errors. Throws other errors, because they are
 * programming errors.
 */
export async function returnFileErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FileError) return toolError(error.data);
    const code = systemCode(error);
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    return toolError(systemFailures[code] ?? unreadable(code));
  }
}

/**
 * Normalises the path among a call's arguments for rules: relative to its root, with `/`, and
 * beginning with the root's name if there are several. So `secrets/**` matches absolute paths, too.
 * Paths outside the roots and too long paths are unchanged, because the tool rejects them.
 */
export function canonicalPath<Args extends { readonly path: string }>(
  options: FileToolsOptions,
): (args: Args) => Args {
  const roots = namedRoots(options.roots);
  const [only, ...others] = roots;
  return (args) => {
    const { path } = args;
    if (path.length > longestPath) return args;
    const asked = path.trim() === "" ? "." : path;
    const [first = "", ...below] = asked
      .split(/[/\\]/)
      .filter((part) => part !== "" && part !== ".");
    const named = others.length > 0 ? roots.find(({ name }) => name === first) : undefined;
    const absolute =
      named !== undefined && !isAbsolute(asked)
        ? resolve(named.path, ...below)
        : isAbsolute(asked) || only === undefined || others.length > 0
          ? asked
          : resolve(only.path, asked);
    if (!isAbsolute(absolute)) return { ...args, path: asked };
    const plain = resolve(absolute);
    const root = roots.find((candidate) => isInside(plain, candidate.path));
    if (root === undefined) return { ...args, path: plain };
    const names = relative(root.path, plain)
      .split(sep)
      .filter((name) => name !== "");
    const shown = [...(others.length > 0 ? [root.name] : []), ...names].join("/");
    return { ...args, path: shown === "" ? "." : shown };
  };
}
