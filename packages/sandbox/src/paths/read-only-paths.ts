import { readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { otherNames } from "./denied-paths.ts";
import { linksOf } from "./links.ts";
import { isInside } from "./named-roots.ts";
import { walk } from "./walk.ts";

/**
 * Returns all paths in writable folders that a program must not change: the protected ones, their
 * other names (hard links), every `.git`, and writable folders inside any of these. A symbolic link on
 * the way to one of these could be replaced, so the folder that contains the link is read-only, too.
 *
 * @param options.own a protected folder in which the program can still have writable folders
 * @throws CapstanError `too_many_files`
 */
export async function readOnlyPaths(options: {
  readonly protected: readonly string[];
  readonly write: readonly string[];
  /** Hidden folders, which are not searched. */
  readonly hidden: readonly string[];
  readonly own?: string;
}): Promise<readonly string[]> {
  const { protected: paths, write, hidden, own } = options;
  if (write.length === 0) return [];
  const protectedFolders = await Promise.all(paths.map(realPath));
  const within = async (folder: string): Promise<boolean> => {
    const real = await realPath(folder);
    if (real.split(sep).includes(".git")) return true;
    const isOwn = own !== undefined && isInside(real, await realPath(own));
    return !isOwn && protectedFolders.some((path) => isInside(real, path));
  };
  const closed = await Promise.all(write.map(within));
  const roots = await Promise.all(write.map(realPath));
  const git = await Promise.all(roots.map((root) => gitPaths(root, hidden)));
  const links = await Promise.all([...paths, ...git.flat()].map(linksOf));
  const linkFolders = links.flat().map((link) => dirname(link));
  return [
    ...paths,
    ...new Set(linkFolders.filter((folder) => roots.some((root) => isInside(folder, root)))),
    ...(await otherNames(paths, write)),
    ...write.filter((_, index) => closed[index] === true),
    ...git.flat(),
  ];
}

const realPath = (path: string): Promise<string> => realpath(path).catch(() => path);

interface Search {
  readonly found: Promise<readonly string[]>;
  /** The expiry time on the clock of `performance.now()`. Infinity while the search runs. */
  expiresAt: number;
}

/** The last search of each root. */
const searches = new Map<string, Search>();

/**
 * A search stays valid for this multiple of its duration, so that large trees are not walked for
 * each call.
 */
const worth = 20;
const mostSearches = 100;

function gitPaths(root: string, hidden: readonly string[]): Promise<readonly string[]> {
  const key = JSON.stringify([root, hidden]);
  const last = searches.get(key);
  if (last !== undefined && performance.now() < last.expiresAt) return last.found;
  const begin = performance.now();
  const search: Search = { found: findGitPaths(root, hidden), expiresAt: Infinity };
  const end = () => {
    const now = performance.now();
    search.expiresAt = now + worth * (now - begin);
  };
  search.found.then(end, end);
  searches.delete(key);
  searches.set(key, search);
  const [oldest] = searches.keys();
  if (searches.size > mostSearches && oldest !== undefined) searches.delete(oldest);
  return search.found;
}

async function findGitPaths(root: string, hidden: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const tooMany = (folder: string, most: string) =>
    `${folder} has more than ${most} entries, so its .git folders cannot be found and protected. Open smaller roots, or make this one read-only.`;
  await walk(root, { most: 500_000, seen: 0, tooMany }, async (below, entry) => {
    const path = join(root, below);
    if (entry.name !== ".git") return !hidden.includes(path);
    found.push(path);
    if (entry.isFile()) found.push(...(await gitFolders(path)));
    return false;
  });
  return found;
}

/** Returns the folders to which the `.git` file of a worktree or a submodule refers. */
async function gitFolders(file: string): Promise<readonly string[]> {
  const target = /^gitdir: (.+?)\r?\n?$/.exec(await readText(file))?.[1];
  if (target === undefined) return [];
  const folder = resolve(dirname(file), target);
  const common = (await readText(join(folder, "commondir"))).trim();
  return common === "" ? [folder] : [folder, resolve(folder, common)];
}

const readText = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
