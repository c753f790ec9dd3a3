import { randomBytes } from "node:crypto";
import { lstat, readdir, mkdir, rmdir } from "node:fs/promises";
import { FileError, notFound } from "../../files/file-roots.ts";
import { formatBytes } from "../../text/format-bytes.ts";
import { type ChangeRecord, type ChangeStep, keptBytes } from "./change-record.ts";
import type { ChangeContext } from "./change-context.ts";
import { copyEntry, moveEntry } from "./move-entry.ts";
import { existing, openTarget, type Target } from "./open-target.ts";
import type { TextContent } from "../text/text-content.ts";
import { copyTarget, hasContent, readTarget } from "./read-target.ts";
import { replaceFile } from "./replace-file.ts";
import { rollBack } from "./roll-back.ts";
import { sha256 } from "./sha256.ts";

/** The content that a file must still have: the bytes that were read, or their SHA-256. */
export type ExpectedContent = { readonly content: Uint8Array } | { readonly sha256: string };

/** An operation on the files below the roots. */
export type Operation =
  | {
      readonly do: "write";
      readonly path: string;
      readonly content: Uint8Array;
      /** The permissions of a new file. */
      readonly mode?: number;
      /** `new`: there must be no such file. */
      readonly expects: "new" | "any" | ExpectedContent;
      /** The texts of the expected and of the new content, if the call has decoded them. */
      readonly texts?: { readonly before: TextContent; readonly after: TextContent };
    }
  | {
      readonly do: "remove";
      readonly path: string;
      /** `empty`: it must be an empty folder. */
      readonly expects?: "empty" | ExpectedContent;
    }
  /** Removes a folder if it is empty. */
  | { readonly do: "prune"; readonly path: string }
  | { readonly do: "move"; readonly from: string; readonly to: string }
  | { readonly do: "folder"; readonly path: string }
  /** Restores a stored file or folder. */
  | { readonly do: "restore"; readonly path: string; readonly from: string };

/**
 * Carries out all operations or none: if one fails, the earlier ones are undone. Each step is
 * stored before it runs, so that a later process can undo an interrupted change.
 *
 * @returns the steps, and the size of the stored contents
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
    await rollBack(current, context, error);
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
  const random = randomBytes(9).toString("hex");
  const [kept, temporary] = [`kept-${random}`, `.capstan-${random}.tmp`];
  switch (operation.do) {
    case "write": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        beforeFolder,
      });
      const before = await checkExpected(target, operation.path, operation.expects);
      const { content, mode } = operation;
      checkKept(before ?? 0, operation.path);
      if (before !== undefined) await copyTarget(target, folder.keptAt(change, kept));
      const after = sha256(content);
      const step = { do: "write", path: target.shown, after, temporary } as const;
      await keep({ ...step, ...(before !== undefined && { kept }) }, before);
      await replaceFile(target, content, { temporary, mode });
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
      const isFolder = stats.isDirectory();
      const { bytes } = isFolder
        ? await context.checkFolder(target, operation.path)
        : { bytes: Number(stats.size) };
      checkKind(target);
      checkKept(bytes, operation.path);
      await keep({ do: "remove", path: target.shown, kept, temporary }, bytes);
      await moveEntry({ from: target.at, to: folder.keptAt(change, kept), temporary, isFolder });
      return;
    }
    case "move": {
      await using from = await openTarget(roots, operation.from, { ...protection, follow: false });
      const isFolder = existing(from, operation.from).isDirectory();
      if (isFolder) await context.checkFolder(from, operation.from);
      await using to = await openTarget(roots, operation.to, {
        ...protection,
        follow: false,
        beforeFolder,
      });
      if (to.stats !== undefined) throw exists(to);
      if (to.real.startsWith(`${from.real}/`))
        throw new FileError("into_itself", `"${operation.from}" cannot be moved into itself.`);
      await keep({ do: "move", from: from.shown, to: to.shown, temporary });
      await moveEntry({ from: from.at, to: to.at, temporary, isFolder });
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
      const { from } = operation;
      const isFolder = (await lstat(from)).isDirectory();
      await keep({ do: "restore", path: target.shown, temporary });
      await copyEntry(from, { to: target.at, temporary, isFolder });
      return;
    }
  }
}

/** @returns the file's size before the change, or `undefined` if there was none */
export async function checkExpected(
  target: Target,
  path: string,
  expects: "new" | "any" | ExpectedContent,
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
  if (typeof expects === "object" && !(await isExpected(target, expects)))
    throw new FileError("changed", `"${shown}" was changed meanwhile. View it and try again.`);
  return Number(stats.size);
}

async function isExpected(target: Target, expected: ExpectedContent): Promise<boolean> {
  return "content" in expected
    ? hasContent(target, expected.content)
    : sha256(await readTarget(target)) === expected.sha256;
}

/** Returns whether two contents have the same bytes. */
export function isSameContent(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function exists({ shown }: Target): FileError {
  return new FileError("exists", `"${shown}" exists already. Nothing was changed.`);
}

/** Throws if the target is of a type that Undo cannot restore. @throws FileError */
export function checkKind({ stats, shown }: Target): void {
  if (stats?.isFile() === true || stats?.isDirectory() === true || stats?.isSymbolicLink() === true)
    return;
  throw new FileError(
    "not_a_file",
    `"${shown}" is a device, pipe or socket, which Undo could not restore.`,
  );
}

/** Throws if the former content is too large to be stored for Undo. @throws FileError */
export function checkKept(bytes: number, path: string): void {
  if (bytes <= keptBytes) return;
  throw new FileError(
    "too_large",
    `"${path}" has ${formatBytes(bytes)}; Undo can restore up to ${formatBytes(keptBytes)}, so it was not changed.`,
  );
}

async function checkEmpty({ at, shown }: Target): Promise<void> {
  if ((await readdir(at)).length > 0)
    throw new FileError("not_empty", `The folder "${shown}" is not empty any more.`);
}
