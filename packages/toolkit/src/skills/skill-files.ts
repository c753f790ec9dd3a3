import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { DeniedResources } from "@capstan/core";
import { deniesPath } from "@capstan/core/host";
import { isInside } from "@capstan/sandbox";
import { FileError, systemCode } from "../files/file-roots.ts";
import { formatBytes } from "../text/format-bytes.ts";

/** The largest file of a skill that is read as text, in bytes. */
export const largestText = 1024 * 1024;
const mostFiles = 500;
const mostBytes = 20 * 1024 * 1024;

/** A file of a skill. */
export interface SkillFile {
  /** The path below the skill, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

/** The files of a skill, and the reason if its scripts cannot run. */
export interface SkillFiles {
  readonly files: readonly SkillFile[];
  readonly problem?: string;
}

/** Lists the files of a skill. Links are never followed. */
export async function listSkillFiles(folder: string): Promise<SkillFiles> {
  const files: SkillFile[] = [];
  const waiting = [folder];
  let bytes = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        waiting.push(path);
        continue;
      }
      const shown = relative(folder, path).split(sep).join("/");
      if (!entry.isFile()) return { files, problem: `${shown} is a link or a special file` };
      const { size } = await lstat(path);
      bytes += size;
      files.push({ path: shown, bytes: size });
      if (files.length > mostFiles)
        return { files, problem: `it has more than ${mostFiles} files` };
      if (bytes > mostBytes)
        return { files, problem: `its files have more than ${formatBytes(mostBytes)}` };
    }
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/**
 * Returns the version of a skill: a digest of the paths and contents of its files.
 *
 * @param contents the contents by path, for example of a copy
 */
export function versionOf(contents: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const [path, content] of [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path.length}:${path}:${content.length}:`).update(content);
  return hash.digest("hex").slice(0, 32);
}

/** Reads all files of a skill. @throws FileError */
export async function readSkill(
  folder: string,
  denied: DeniedResources,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { files, problem } = await listSkillFiles(folder);
  if (problem !== undefined)
    throw new FileError("no_version", `The scripts of this skill cannot run, because ${problem}.`);
  const contents = new Map<string, Uint8Array>();
  for (const { path } of files)
    contents.set(path, await readSkillFile(folder, path, denied, mostBytes));
  return contents;
}

/**
 * Reads a file of a skill. Paths that lead out of its folder, links and denied paths are rejected.
 *
 * @throws FileError `invalid_path`, `not_found`, `linked_path`, `denied_path` or `too_large`
 */
export async function readSkillFile(
  folder: string,
  path: string,
  denied: DeniedResources,
  most = largestText,
): Promise<Uint8Array> {
  const parts = path.split(/[/\\]/);
  if (path.includes("\0") || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new FileError(
      "invalid_path",
      `${JSON.stringify(path.slice(0, 200))} is not a path below the skill, such as references/guide.md.`,
    );
  const absolute = join(folder, ...parts);
  const shown = parts.join("/");
  try {
    const real = await realpath(absolute);
    if (real !== absolute || !isInside(real, folder))
      throw new FileError("linked_path", `"${shown}" leads through a link, which is not followed.`);
    if (deniesPath(denied, { shown, real }))
      throw new FileError("denied_path", `A rule denies "${shown}".`);
    // Without O_NONBLOCK, opening a named pipe would block a thread of the server until it has a
    // writer.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(absolute, flags);
    const stats = await file.stat();
    if (!stats.isFile()) throw new FileError("not_a_file", `"${shown}" is not a file.`);
    if (stats.size > most)
      throw new FileError(
        "too_large",
        `"${shown}" has ${formatBytes(stats.size)}; files up to ${formatBytes(most)} are read.`,
      );
    const content = Buffer.alloc(stats.size);
    const { bytesRead } = await file.read(content, 0, stats.size, 0);
    return content.subarray(0, bytesRead);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new FileError("not_found", `The skill has no file "${shown}".`);
    if (code === "ELOOP")
      throw new FileError("linked_path", `"${shown}" is a link, which is not followed.`);
    throw error;
  }
}
