import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { FileContents } from "../definition/parsed-file.ts";

/** The result of `readScriptFiles`. */
export type ScriptFilesOutcome =
  | {
      readonly status: "read";
      /** The files of the script, sorted by name. */
      readonly contents: FileContents;
      /** `sha256:…` over names and bytes. */
      readonly contentHash: string;
    }
  | { readonly status: "refused"; readonly message: string };

const limits = { files: 2_000, bytes: 64 * 1024 * 1024 };

/** Files next to a script that other programs create; they are not part of it. */
const generated = new Set(["__pycache__", ".venv", "node_modules", ".git"]);
/** A module can import packages, so they are part of it, but not the links to their commands. */
const generatedNextToModules = new Set(["__pycache__", ".venv", ".bin", ".git"]);

/**
 * Reads and hashes the files of a script. A plugin has all files of its folder. A single file has
 * itself and the private files (`_…`) next to it, which it can import. Packages in the folder of a
 * module are part of it, because it loads them.
 *
 * @param options.entry the script, relative to the folder
 * @throws the file system's error
 */
export async function readScriptFiles(options: {
  readonly folder: string;
  readonly entry: string;
  readonly isPlugin: boolean;
}): Promise<ScriptFilesOutcome> {
  const { folder, entry, isPlugin } = options;
  const others = /\.[mc]?[jt]s$/.test(entry) ? generatedNextToModules : generated;
  const found = new Map<string, Uint8Array>();
  let bytes = 0;
  const walk = async (inside: string): Promise<string | undefined> => {
    for (const item of await readdir(inside, { withFileTypes: true })) {
      if (inside === folder && !isPlugin && item.name !== entry && !isPrivate(item.name)) continue;
      const path = join(inside, item.name);
      const name = relative(folder, path).replaceAll(sep, "/");
      if (others.has(item.name) || isCache(item.name)) continue;
      if (item.isSymbolicLink())
        return `${name} is a link. A script is made of files in its own folder: put a copy there.`;
      if (item.isDirectory()) {
        const problem = await walk(path);
        if (problem !== undefined) return problem;
      } else if (item.isFile()) {
        const content = await readPlainFile(path, limits.bytes - bytes);
        if (content === undefined || found.size === limits.files)
          return `It has more than ${limits.files} files or ${limits.bytes / 1024 / 1024} MB next to it. Keep large data elsewhere, and declare its folder in "roots".`;
        bytes += content.length;
        found.set(name, content);
      }
    }
    return undefined;
  };
  const problem = await walk(folder);
  if (problem !== undefined) return { status: "refused", message: problem };
  const contents = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  const hash = createHash("sha256");
  for (const [name, content] of contents)
    // Includes the lengths, so that two different lists of files have different hashes.
    hash.update(`${Buffer.byteLength(name)} ${name} ${content.length}\n`).update(content);
  return { status: "read", contents, contentHash: `sha256:${hash.digest("hex")}` };
}

/**
 * Reads a file. Returns undefined if it is too large. It follows no link that replaced the file,
 * and does not wait for a pipe.
 *
 * @throws the file system's error; ENOTSUP if it is not a regular file
 */
export async function readPlainFile(
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw Object.assign(new Error(`${path} is no file.`), { code: "ENOTSUP" });
  return found.size > maxBytes ? undefined : await file.readFile();
}

/** Returns whether a file name begins with `_`. */
export function isPrivate(name: string): boolean {
  return name.startsWith("_");
}

/** Returns whether a file is a cache, or the unfinished copy of a cache or script. */
export function isCache(name: string): boolean {
  return /\.tool\.json$|\.[0-9a-f-]{36}\.tmp$/.test(name);
}
