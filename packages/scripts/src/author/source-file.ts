import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { maxSourceBytes } from "../read/read-scripts.ts";
import { readPlainFile } from "../read/script-files.ts";

/** The text of a file, or why it cannot be shown. */
export type ReadSource =
  | { readonly status: "read"; readonly source: string; readonly hash: string }
  | { readonly status: "missing" }
  | { readonly status: "refused"; readonly message: string };

/** The reason why nothing was written. */
export type NotWritten =
  /** The file is not the version that the change is based on, or exists already. */
  | { readonly status: "conflict"; readonly message: string }
  | { readonly status: "refused"; readonly message: string };

/** The result of saving a file. */
export type WroteSource = { readonly status: "written" } | NotWritten;
/** The result of creating a file. */
export type CreatedSource = { readonly status: "written"; readonly path: string } | NotWritten;

/**
 * Reads a script's text. It does not follow links, and refuses text that is not UTF-8, so that
 * saving it loses nothing.
 */
export async function readSource(path: string): Promise<ReadSource> {
  try {
    const bytes = await readPlainFile(path, maxSourceBytes);
    if (bytes === undefined)
      return { status: "refused", message: `It is larger than ${maxSourceBytes} bytes.` };
    const source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { status: "read", source, hash: hashOf(bytes) };
  } catch (thrown) {
    if (thrown instanceof TypeError) return { status: "refused", message: "It is not UTF-8 text." };
    const { code = "error" } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return { status: "missing" };
    return { status: "refused", message: `It cannot be read (${code}).` };
  }
}

/**
 * Replaces a script's text atomically. A file that has changed or was deleted stays as it is.
 *
 * @param change.path as a scan of its folder found it
 * @param change.basedOn the hash from `readSource`
 */
export async function saveSource(change: {
  readonly path: string;
  readonly source: string;
  readonly basedOn: string;
}): Promise<WroteSource> {
  const { path, source, basedOn } = change;
  const bytes = Buffer.from(source);
  if (bytes.length > maxSourceBytes) return tooLarge;
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    if (!(await isWithoutLinks(dirname(path)))) return outside;
    // A repeated request may have saved this text before.
    const now = await readSource(path);
    if (now.status === "read" && bytes.equals(Buffer.from(now.source)))
      return { status: "written" };
    const before = await conflictWith(path, basedOn);
    if (before !== undefined) return before;
    const { mode } = await stat(path);
    await writeFile(draft, bytes, { flag: "wx", flush: true });
    await chmod(draft, mode & 0o777);
    // Checked again, because an editor may have saved the file meanwhile.
    const conflict = await conflictWith(path, basedOn);
    if (conflict !== undefined) return conflict;
    await rename(draft, path);
    return { status: "written" };
  } catch (thrown) {
    return notWritten(thrown);
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/**
 * Creates a new file, and its folder if it is missing.
 *
 * @param options.name the file's name without a folder
 * @returns the path of the file
 */
export async function createSource(options: {
  readonly folder: string;
  readonly name: string;
  readonly source: string;
}): Promise<CreatedSource> {
  const { folder, name, source } = options;
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) return outside;
  try {
    await mkdir(folder, { recursive: true });
    return await writeNew(join(await realpath(folder), name), source);
  } catch (thrown) {
    return notWritten(thrown);
  }
}

/**
 * Writes a new file. It does not replace an existing file or link.
 *
 * @param mode the file's rights
 * @default those of this user's new files
 */
export async function writeNew(
  path: string,
  source: string | Uint8Array,
  mode?: number,
): Promise<CreatedSource> {
  try {
    await writeFile(path, source, { flag: "wx", flush: true, ...(mode !== undefined && { mode }) });
    return { status: "written", path };
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EEXIST"
      ? { status: "conflict", message: `The file ${basename(path)} exists already.` }
      : notWritten(thrown);
  }
}

/** Returns whether no part of a path is a link, which could lead outside of the folder. */
export async function isWithoutLinks(folder: string): Promise<boolean> {
  return (await realpath(folder).catch(() => undefined)) === folder;
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function conflictWith(path: string, basedOn: string): Promise<NotWritten | undefined> {
  const now = await readSource(path);
  if (now.status === "refused") return now;
  if (now.status === "missing")
    return { status: "conflict", message: "The file was deleted meanwhile." };
  if (now.hash === basedOn) return undefined;
  return { status: "conflict", message: "The file was changed meanwhile. Compare both versions." };
}

const tooLarge: NotWritten = {
  status: "refused",
  message: `It has more than ${maxSourceBytes} bytes. Keep data in a separate file.`,
};
const outside: NotWritten = {
  status: "refused",
  message: "This file is not inside a tools folder any more.",
};

function notWritten(thrown: unknown): NotWritten {
  const { code = "error" } = thrown as NodeJS.ErrnoException;
  return { status: "refused", message: `It cannot be written (${code}).` };
}
