import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError, type FileRoots, notFound, systemCode } from "../../files/file-roots.ts";
import type { ChangeFolder, ChangeRecord, ChangeStep } from "./change-record.ts";
import { existing, openTarget, type Target } from "./open-target.ts";
import { replaceFile } from "./replace-file.ts";

/** An operation on the files below the roots. */
export type Operation =
  | {
      readonly do: "write";
      readonly path: string;
      readonly content: Uint8Array;
      /** The permissions of a new file. */
      readonly mode?: number;
      /** `new`: there must be no such file. A SHA-256: the file must have this content. */
      readonly expects: "new" | "any" | { readonly sha256: string };
    }
  | {
      readonly do: "remove";
      readonly path: string;
      /** `empty`: it must be an empty folder. */
      readonly expects?: "empty" | { readonly sha256: string };
    }
  /** Removes a folder if it is empty. */
  | { readonly do: "prune"; readonly path: string }
  | { readonly do: "move"; readonly from: string; readonly to: string }
  | { readonly do: "folder"; readonly path: string }
  /** Puts a kept file or folder in place. */
  | { readonly do: "restore"; readonly path: string; readonly from: string };

/** How to make a change. */
export interface ChangeContext {
  readonly roots: FileRoots;
  readonly protected: readonly string[];
  readonly folder: ChangeFolder;
  /** Throws if a folder contains a denied path, which would get another name. @throws FileError */
  readonly checkFolder: (real: string, path: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Makes all operations, or none: if one fails, those before it are undone. Each step is stored before
 * it is made, so a later process can undo a change that was cut off.
 *
 * @returns the steps, and the size of the kept contents
 * @throws FileError
 */
export async function applyOperations(
  operations: readonly Operation[],
  change: ChangeRecord,
  context: ChangeContext,
): Promise<ChangeRecord> {
  let current = change;
  const keep = async (step: ChangeStep, bytes = 0): Promise<void> => {
    current = { ...current, bytes: current.bytes + bytes, steps: [...current.steps, step] };
    await context.folder.save(current);
  };
  try {
    for (const operation of operations) {
      context.signal.throwIfAborted();
      await apply(operation, current, context, keep);
    }
    current = { ...current, status: "done" };
    await context.folder.save(current);
    return current;
  } catch (error) {
    await rollBack(current, context);
    await context.folder.forget(current.id);
    throw error;
  }
}

type Keep = (step: ChangeStep, bytes?: number) => Promise<void>;

async function apply(
  operation: Operation,
  change: ChangeRecord,
  context: ChangeContext,
  keep: Keep,
): Promise<void> {
  const { roots, folder } = context;
  const protection = { protected: context.protected };
  const beforeFolder = (path: string) => keep({ do: "folder", path, isImplied: true });
  const kept = `kept-${randomBytes(6).toString("hex")}`;
  switch (operation.do) {
    case "write": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        beforeFolder,
      });
      const before = await checkExpected(target, operation.path, operation.expects);
      const { content, mode } = operation;
      if (before !== undefined)
        await cp(target.at, folder.keptAt(change, kept), { preserveTimestamps: true });
      const after = sha256(content);
      await keep(
        { do: "write", path: target.shown, after, ...(before !== undefined && { kept }) },
        before,
      );
      await replaceFile(target, content, mode);
      return;
    }
    case "remove": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        follow: false,
      });
      const stats = existing(target, operation.path);
      const { expects } = operation;
      if (expects === "empty") await checkEmpty(target);
      else if (expects !== undefined) await checkExpected(target, operation.path, expects);
      if (stats.isDirectory()) await context.checkFolder(target.real, operation.path);
      await keep({ do: "remove", path: target.shown, kept }, Number(target.stats?.size ?? 0));
      await moveEntry(target.at, folder.keptAt(change, kept));
      return;
    }
    case "move": {
      await using from = await openTarget(roots, operation.from, { ...protection, follow: false });
      if (existing(from, operation.from).isDirectory())
        await context.checkFolder(from.real, operation.from);
      await using to = await openTarget(roots, operation.to, {
        ...protection,
        follow: false,
        beforeFolder,
      });
      if (to.stats !== undefined) throw exists(to);
      if (to.real.startsWith(`${from.real}/`))
        throw new FileError("into_itself", `"${operation.from}" cannot be moved into itself.`);
      await keep({ do: "move", from: from.shown, to: to.shown });
      await moveEntry(from.at, to.at);
      return;
    }
    case "folder": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        beforeFolder,
      });
      if (target.stats?.isDirectory() === true) return;
      if (target.stats !== undefined) throw exists(target);
      await keep({ do: "folder", path: target.shown });
      await mkdir(target.at);
      return;
    }
    case "prune": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        follow: false,
      });
      if (target.stats?.isDirectory() === true) await rmdir(target.at).catch(() => {});
      return;
    }
    case "restore": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        follow: false,
        beforeFolder,
      });
      if (target.stats !== undefined) throw exists(target);
      await keep({ do: "restore", path: target.shown });
      const temporary = join(dirname(target.at), `.capstan-${randomBytes(9).toString("hex")}.tmp`);
      try {
        await cp(operation.from, temporary, { recursive: true, verbatimSymlinks: true });
        await rename(temporary, target.at);
      } catch (error) {
        await rm(temporary, { recursive: true, force: true });
        throw error;
      }
      return;
    }
  }
}

/** @returns the file's size before the change, or `undefined` if there was none */
export async function checkExpected(
  target: Target,
  path: string,
  expects: "new" | "any" | { readonly sha256: string },
): Promise<number | undefined> {
  const { stats, shown } = target;
  if (stats === undefined) {
    if (typeof expects === "object") throw notFound(path);
    return undefined;
  }
  if (expects === "new") throw exists(target);
  if (!stats.isFile())
    throw new FileError(
      stats.isDirectory() ? "is_a_folder" : "not_a_file",
      `"${shown}" is ${stats.isDirectory() ? "a folder" : "a device, pipe, socket or link"}, not a file.`,
    );
  if (typeof expects === "object" && sha256(await readFile(target.at)) !== expects.sha256)
    throw new FileError("changed", `"${shown}" was changed meanwhile. View it and try again.`);
  return Number(stats.size);
}

function exists({ shown }: Target): FileError {
  return new FileError("exists", `"${shown}" exists already. Nothing was changed.`);
}

/** Returns the SHA-256 of a content, in hexadecimal digits. */
export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Renames an entry, or copies and removes it if the new place is on another file system. */
async function moveEntry(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await rm(from, { recursive: true });
  }
}

async function checkEmpty({ at, shown }: Target): Promise<void> {
  if ((await readdir(at)).length > 0)
    throw new FileError("not_empty", `The folder "${shown}" is not empty any more.`);
}

/**
 * Undoes the steps of a change that is not complete. The last step may not have happened, and other
 * programs may have changed files since, so only unchanged results of steps are undone.
 */
export async function rollBack(change: ChangeRecord, context: ChangeContext): Promise<void> {
  for (const step of change.steps.toReversed()) await undoStep(step, change, context);
}

async function undoStep(
  step: ChangeStep,
  change: ChangeRecord,
  { roots, folder, protected: paths }: ChangeContext,
): Promise<void> {
  const open = (path: string) =>
    openTarget(roots, path, { protected: paths, follow: false, beforeFolder: async () => {} });
  if (step.do === "move") {
    await using to = await open(step.to);
    await using from = await open(step.from);
    if (to.stats !== undefined && from.stats === undefined) await moveEntry(to.at, from.at);
    return;
  }
  await using target = await open(step.path);
  const { stats, at } = target;
  if (step.do === "remove") {
    const kept = folder.keptAt(change, step.kept);
    if (stats === undefined && existsSync(kept)) await moveEntry(kept, at);
  } else if (step.do === "folder") {
    if (stats !== undefined) await rmdir(at).catch(() => {});
  } else if (step.do === "write" && stats?.isFile() === true) {
    if (sha256(await readFile(at)) !== step.after) return;
    if (step.kept === undefined) await rm(at);
    else await replaceFile(target, await readFile(folder.keptAt(change, step.kept)));
  }
}
