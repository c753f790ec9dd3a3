import { existsSync } from "node:fs";
import { lstat, readFile, rename, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage } from "@capstan/core/host";
import { FileError } from "../../files/file-roots.ts";
import { sha256 } from "./sha256.ts";
import type { ChangeContext } from "./change-context.ts";
import type { ChangeRecord, ChangeStep } from "./change-record.ts";
import { copyEntry, moveEntry } from "./move-entry.ts";
import { openTarget, type Target } from "./open-target.ts";
import { readTarget } from "./read-target.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Undoes the steps of an incomplete change. Checks each step's result first, because the last step
 * may not have run, and other programs may have changed files since. If one step cannot be undone,
 * the others still are.
 *
 * @param cause why the change is not complete
 * @throws FileError `not_restored` if a step cannot be undone; the former contents stay stored
 */
export async function rollBack(
  change: ChangeRecord,
  context: ChangeContext,
  cause?: unknown,
): Promise<void> {
  const failures: string[] = [];
  for (const step of change.steps.toReversed()) {
    try {
      await undoStep(step, change, context);
    } catch (error) {
      failures.push(`${step.do === "move" ? step.from : step.path} (${errorMessage(error)})`);
    }
  }
  if (failures.length === 0) return;
  const reason = cause === undefined ? "The change was interrupted." : errorMessage(cause);
  throw new FileError(
    "not_restored",
    `${reason} Not everything could be restored: ${failures.join(", ")}. The previous contents are kept. Fix the cause, then call Undo with ${change.id}.`,
  );
}

async function undoStep(
  step: ChangeStep,
  change: ChangeRecord,
  context: ChangeContext,
): Promise<void> {
  if (step.do === "move") return undoMove(step, context);
  await using target = await openFor(step.path, context);
  const { stats, at } = target;
  if (step.do === "folder") {
    if (stats !== undefined) await rmdir(at).catch(() => {});
    return;
  }
  const temporary = step.temporary ?? ".capstan-undo.tmp";
  const leftover = join(dirname(at), temporary);
  // The trash may hold the only complete copy of a removed folder, and the final path that of a
  // copy.
  if (step.do !== "remove") await rm(leftover, { recursive: true, force: true });
  if (step.do === "remove") {
    const kept = context.folder.keptAt(change, step.kept);
    if (stats === undefined && existsSync(kept)) {
      const isFolder = (await lstat(kept)).isDirectory();
      await rm(leftover, { recursive: true, force: true });
      await copyOrRename(kept, { to: at, temporary, isFolder });
    }
  } else if (step.do === "restore") {
    // The change that was being undone still stores the restored content.
    if (stats === undefined) return;
    await rename(at, leftover);
    await rm(leftover, { recursive: true });
  } else if (stats?.isFile() === true) {
    if (sha256(await readTarget(target)) !== step.after) return;
    if (step.kept === undefined) await rm(at);
    else await putBack(target, context.folder.keptAt(change, step.kept), temporary);
  }
}

/** Restores the former content, by a rename if possible, which needs no disk space. */
async function putBack(target: Target, kept: string, temporary: string): Promise<void> {
  try {
    await rename(kept, target.at);
  } catch {
    await replaceFile(target, await readFile(kept), { temporary });
  }
}

async function copyOrRename(
  kept: string,
  move: { readonly to: string; readonly temporary: string; readonly isFolder: boolean },
): Promise<void> {
  try {
    await rename(kept, move.to);
  } catch {
    await copyEntry(kept, move);
  }
}

async function undoMove(
  step: Extract<ChangeStep, { readonly do: "move" }>,
  context: ChangeContext,
): Promise<void> {
  await using to = await openFor(step.to, context);
  await using from = await openFor(step.from, context);
  const temporary = step.temporary ?? ".capstan-undo.tmp";
  if (to.stats !== undefined && from.stats === undefined)
    await moveEntry({ from: to.at, to: from.at, temporary, isFolder: to.stats.isDirectory() });
  else if (to.stats?.ino === from.stats?.ino && to.stats?.dev === from.stats?.dev)
    // The process was killed after it added the new name and before it removed the old one.
    if (to.stats !== undefined) await unlink(to.at);
  for (const { at } of [to, from])
    await rm(join(dirname(at), temporary), { recursive: true, force: true });
}

function openFor(path: string, { roots, protected: paths }: ChangeContext): Promise<Target> {
  return openTarget(roots, path, {
    protected: paths,
    follow: false,
    beforeFolder: async () => {},
  });
}
