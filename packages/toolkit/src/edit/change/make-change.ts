import { resolve } from "node:path";
import type { PreviewContext, ToolContext } from "@capstan/core";
import { deniedPaths, isInside } from "@capstan/sandbox";
import { FileError, fileRoots, type FileRoots } from "../../files/file-roots.ts";
import type { ChangeContext } from "./change-context.ts";
import { applyOperations, type Operation } from "./apply-operations.ts";
import { ChangeFolder, type ChangeRecord } from "./change-record.ts";
import { inspectFolder } from "./inspect-folder.ts";
import type { EditToolsOptions } from "./open-target.ts";
import { rollBack } from "./roll-back.ts";

/** The data with which a call plans its operations. */
export interface ChangePlan {
  readonly roots: FileRoots;
  /** The paths that the call may read. */
  readonly sources: FileRoots;
  readonly folder: ChangeFolder;
  readonly owner: ChangeContext["owner"];
}

/** Returns the operations of a call, and reads the files that they depend on. @throws FileError */
export type Plan = (plan: ChangePlan) => Promise<readonly Operation[]>;

/** Returns the context of a call's operations: the changes of its user, and the access checks. */
export async function changeContext(
  options: EditToolsOptions,
  { principal, denied, signal }: Omit<PreviewContext, "files">,
): Promise<ChangeContext> {
  const readable = denied();
  const resources = { ...readable, paths: [...readable.paths, ...(readable.changes ?? [])] };
  return {
    roots: await fileRoots(options, resources),
    sources: await fileRoots(options, readable),
    folder: new ChangeFolder(options.changes, principal.id),
    signal,
    owner: { user: principal.id, signal },
    protected: [...(options.protected ?? []), options.changes],
    async checkFolder({ real, at }, path) {
      const paths = [
        ...(options.deny ?? []).map((one) => resolve(one)),
        ...(await deniedPaths(options.roots, resources)),
      ];
      if (paths.some((one) => isInside(one, real)))
        throw new FileError(
          "denied_path",
          `A rule denies a path in "${path}", so the folder cannot be changed.`,
        );
      return inspectFolder(at, path, signal);
    },
  };
}

/**
 * Makes the change of one call, or returns the change that an earlier attempt of this call made. An
 * interrupted attempt is rolled back first, so that the change happens once and completely.
 *
 * @throws FileError
 */
export function makeChange(
  options: EditToolsOptions,
  context: ToolContext,
  plan: Plan,
): Promise<ChangeRecord> {
  return runSerially(options.changes, () => makeNow(options, context, plan));
}

/** The last change of each folder of changes in this process. */
const lastChanges = new Map<string, Promise<unknown>>();

/**
 * Runs the changes of all sessions one after another, so that no file changes between a call's read
 * and its write.
 */
async function runSerially<T>(changes: string, run: () => Promise<T>): Promise<T> {
  const before = lastChanges.get(changes);
  const own = (async () => {
    await before?.catch(() => {});
    return run();
  })();
  lastChanges.set(changes, own);
  try {
    return await own;
  } finally {
    if (lastChanges.get(changes) === own) lastChanges.delete(changes);
  }
}

/**
 * Undoes the steps of an interrupted change, which no process will complete.
 *
 * @throws FileError `not_restored`
 */
export function takeBack(
  options: EditToolsOptions,
  preview: Omit<PreviewContext, "files">,
  id: string,
): Promise<ChangeRecord> {
  return runSerially(options.changes, async () => {
    const context = await changeContext(options, preview);
    // Read the change again, because another call may have completed it while this one was queued.
    const change = await context.folder.find(id);
    if (change.status !== "begun")
      throw new FileError("complete", `${id} was completed meanwhile. Call Undo again.`);
    await rollBack(change, context);
    await context.folder.forget(id);
    return change;
  });
}

async function makeNow(
  options: EditToolsOptions,
  { principal, toolId, idempotencyKey, signal, denied }: ToolContext,
  plan: Plan,
): Promise<ChangeRecord> {
  const context = await changeContext(options, { principal, signal, denied });
  const { folder } = context;
  const begun = await folder.begin(idempotencyKey, toolId);
  let change: ChangeRecord;
  if ("begun" in begun) change = begun.begun;
  else if (begun.found.status === "begun") {
    await rollBack(begun.found, context);
    change = { ...begun.found, bytes: 0, steps: [] };
    await folder.save(change);
  } else return begun.found;
  let operations: readonly Operation[];
  try {
    operations = await plan(context);
  } catch (error) {
    await folder.forget(change.id);
    throw error;
  }
  const done = await applyOperations(operations, change, context);
  await folder.prune();
  return done;
}
