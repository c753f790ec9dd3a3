import { dirname, join } from "node:path/posix";

/** A path in a document that names no file or folder. */
export interface DeadPath {
  /** 1-based. */
  readonly line: number;
  /** As it is written. */
  readonly path: string;
  readonly reason: string;
}

/** The facts about the repository that the check needs. Paths are relative to its root. */
export interface Repository {
  has(path: string): boolean;
  /** Whether any file has this name, without its folder. */
  hasFileNamed(name: string): boolean;
  /** The folder names of the packages: `core`, `store`. */
  readonly packages: readonly string[];
}

const topFolders = ["packages", "scripts", "test", "bench", "docs", "examples"];
const source = /\.(?:ts|tsx|py|ps1|mjs)$/;
const link = /\]\(([^)\s]+)\)/g;
const code = /`([^`\s]+)`/g;

/**
 * Finds the links and paths in a Markdown document that do not exist: relative links, paths from
 * the root, folders of a package (`core/chain`), and names of TypeScript files. Fenced code is left
 * out.
 *
 * @param page the document's path from the root
 * @example deadPaths("See `core/chian`.", "docs/a.md", repository)
 */
export function deadPaths(text: string, page: string, repository: Repository): readonly DeadPath[] {
  const found: DeadPath[] = [];
  let isFenced = false;
  for (const [index, content] of text.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/.test(content)) isFenced = !isFenced;
    if (isFenced) continue;
    const dead = (path: string, reason: string) => found.push({ line: index + 1, path, reason });
    for (const [, target = ""] of content.matchAll(link)) {
      const path = target.split("#")[0] ?? "";
      if (path === "" || /^[a-z]+:/.test(path)) continue;
      if (!repository.has(join(dirname(page), path))) dead(target, "the link leads to no file");
    }
    for (const [, token = ""] of content.matchAll(code)) {
      const reason = reasonAgainst(token, repository);
      if (reason !== undefined) dead(token, reason);
    }
  }
  return found;
}

function reasonAgainst(token: string, repository: Repository): string | undefined {
  // A specifier (`./a.ts`) or an extension (`.ts`) is not a path of the repository.
  if (!/^[\w@][\w@./-]*$/.test(token)) return undefined;
  const path = token.replace(/\/$/, "");
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0) {
    const isPlaceholder = /^\w\.|^\w+\.d\.ts$/.test(path);
    if (!/\.tsx?$/.test(path) || isPlaceholder || repository.hasFileNamed(path)) return undefined;
    return "no file has this name";
  }
  const ofPackage = `packages/${first}/src/${rest.join("/")}`;
  if (topFolders.includes(first)) {
    // `scripts` is also a package, and `scripts/editor` a folder of another one.
    const inPackages = repository.packages.map((name) => `packages/${name}/src/${path}`);
    return [path, ofPackage, ...inPackages].some((place) => repository.has(place))
      ? undefined
      : "there is no such file or folder";
  }
  if (repository.packages.includes(first))
    return repository.has(ofPackage)
      ? undefined
      : `there is no such file or folder in packages/${first}/src`;
  return source.test(path) ? "write the path from the root, or from a package" : undefined;
}
