import { realpath, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { type Scan, scanFolder } from "@capstan/scripts";

/**
 * The tool files that a path means: a file, a plugin folder, or a folder of tools. It is looked for
 * here, then in the configuration's folders.
 *
 * @returns none, with a problem, where there are none
 */
export async function toolFilesAt(path: string, folders: readonly string[]): Promise<Scan> {
  for (const place of [".", ...folders]) {
    const whole = resolve(place, path);
    const found = await stat(whole).catch(() => undefined);
    // Links of the path itself are the person's own; those inside are refused.
    if (found !== undefined) return filesAt(await realpath(whole), found.isDirectory());
  }
  return nothing(resolve(path), "There is no such file or folder.");
}

async function filesAt(whole: string, isFolder: boolean): Promise<Scan> {
  const isMain = /^main\.[a-z0-9]+$/.test(basename(whole));
  const around = isFolder || !isMain ? dirname(whole) : dirname(dirname(whole));
  const scan = await scanFolder(around);
  const files = scan.files.filter((file) =>
    isFolder ? file.isPlugin && file.folder === whole : file.path === whole,
  );
  const problems = scan.problems.filter((problem) => problem.path.startsWith(whole));
  if (files.length > 0) return { files, problems };
  if (!isFolder)
    return problems.length > 0
      ? { files, problems }
      : nothing(
          whole,
          "It gives no tools: expected a .py, .ps1, .ts or .js file whose name does not begin with _.",
        );
  const inside = await scanFolder(whole);
  return inside.files.length + inside.problems.length > 0
    ? inside
    : nothing(whole, "There are no tools in this folder.");
}

function nothing(path: string, message: string): Scan {
  return { files: [], problems: [{ path, severity: "error", message }] };
}
