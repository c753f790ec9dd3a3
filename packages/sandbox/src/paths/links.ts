import { readlink } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";

/** The kernel follows at most this number of links in one path. */
const mostLinks = 40;

/**
 * Returns the symbolic links that the kernel follows to reach an absolute path, each by the path of
 * its folder without links. The path does not have to exist.
 */
export async function linksOf(path: string): Promise<readonly string[]> {
  const links: string[] = [];
  let at: string = sep;
  let names = namesIn(resolve(path));
  for (let [name, ...rest] = names; name !== undefined; [name, ...rest] = names) {
    const next = join(at, name);
    const target = await readlink(next).catch(() => undefined);
    if (target === undefined) {
      at = next;
      names = rest;
      continue;
    }
    links.push(next);
    if (links.length === mostLinks) break;
    names = [...namesIn(resolve(dirname(next), target)), ...rest];
    at = sep;
  }
  return links;
}

const namesIn = (path: string): string[] => path.split(sep).filter((name) => name !== "");
