import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { groupIdOf } from "../definition/group-id.ts";
import type { ScriptLanguage, ScriptProblem } from "../definition/script-function.ts";
import { isCache, isPrivate } from "./script-files.ts";

/** A file with tools in a `tools/` folder. */
export type ScannedFile = {
  /** The absolute path. */
  readonly path: string;
  /** The plugin's folder, or the tools folder. */
  readonly folder: string;
  readonly isPlugin: boolean;
  /**
   * The name of the file or the plugin folder, without an extension; the group's id comes from it.
   */
  readonly name: string;
} & (
  | { readonly type: "script"; readonly language: ScriptLanguage; readonly groupId: string }
  /** TypeScript or JavaScript, which defines its groups itself. */
  | { readonly type: "module" }
);

/** A problem with its file. */
export interface FileProblem extends ScriptProblem {
  readonly path: string;
}

/** The result of `scanFolder`. */
export interface Scan {
  readonly files: readonly ScannedFile[];
  readonly problems: readonly FileProblem[];
}

const languages: { readonly [extension: string]: ScriptLanguage } = {
  ".py": "python",
  ".ps1": "powershell",
};
const moduleExtensions = new Set([".ts", ".js", ".mjs", ".mts"]);

/**
 * Returns the files with tools in a folder: `.py` and `.ps1` files, plugin modules, and folders
 * with a `main.*`. It opens no file. Names that begin with `_` or `.` are private. Links are
 * refused, because they lead out of the folder.
 */
export async function scanFolder(folder: string): Promise<Scan> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return { files: [], problems: [] };
  const files: ScannedFile[] = [];
  const problems: FileProblem[] = [];
  const refuse = (path: string, message: string) =>
    void problems.push({ path, severity: "error", message });
  for (const item of await list(root)) {
    const path = join(root, item.name);
    if (isHidden(item.name)) continue;
    if (item.isSymbolicLink()) {
      refuse(path, "It is a link, and may lead out of the folder. Put the file itself here.");
    } else if (item.isFile()) {
      const file = scannedFile({ path, folder: root, isPlugin: false });
      if (file !== undefined) files.push(file);
    } else if (item.isDirectory()) {
      const entries = await entriesOf(path, refuse);
      files.push(...entries);
      const isRefused = problems.some((problem) => dirname(problem.path) === path);
      if (entries.length === 0 && !isRefused && (await hasTools(path)))
        problems.push({
          path,
          severity: "warning",
          message:
            "No tools are read from this folder: a plugin's tools are in its main.py, main.ps1, main.ts or main.js.",
        });
    }
  }
  return { files, problems };
}

async function entriesOf(
  folder: string,
  refuse: (path: string, message: string) => void,
): Promise<readonly ScannedFile[]> {
  const entries: ScannedFile[] = [];
  for (const item of await list(folder)) {
    if (basename(item.name, extname(item.name)) !== "main") continue;
    const path = join(folder, item.name);
    if (item.isSymbolicLink()) refuse(path, "It is a link. Put the file itself here.");
    if (!item.isFile()) continue;
    const file = scannedFile({ path, folder, isPlugin: true });
    if (file !== undefined) entries.push(file);
  }
  return entries;
}

/** Returns whether a folder looks as if it should have tools. */
async function hasTools(folder: string): Promise<boolean> {
  const items = await list(folder);
  return items.some(({ name }) => !isHidden(name) && extname(name) in languages);
}

function scannedFile(
  place: Pick<ScannedFile, "path" | "folder" | "isPlugin">,
): ScannedFile | undefined {
  const { path, folder, isPlugin } = place;
  const extension = extname(path);
  const name = isPlugin ? basename(folder) : basename(path, extension);
  const language = Object.hasOwn(languages, extension) ? languages[extension] : undefined;
  if (language !== undefined)
    return { ...place, name, type: "script", language, groupId: groupIdOf(name, language) };
  const isModule = moduleExtensions.has(extension) && !/\.(d|test)\.[mc]?[jt]s$/.test(path);
  return isModule ? { ...place, name, type: "module" } : undefined;
}

function isHidden(name: string): boolean {
  return isPrivate(name) || name.startsWith(".") || name === "node_modules" || isCache(name);
}

/** Lists a folder, sorted by name. A folder that was removed is empty. */
async function list(folder: string) {
  const items = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return items.sort((a, b) => (a.name < b.name ? -1 : 1));
}
