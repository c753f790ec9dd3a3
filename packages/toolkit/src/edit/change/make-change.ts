import { resolve } from "node:path";
import type { PreviewContext, ToolContext } from "@capstan/core";
import { deniedPaths, isInside } from "@capstan/sandbox";
import { FileError, fileRoots, type FileRoots } from "../../files/file-roots.ts";
import {
  applyOperations,
  type ChangeContext,
  type Operation,
  rollBack,
} from "./apply-operations.ts";
import { ChangeFolder, type ChangeRecord } from "./change-record.ts";
import type { EditToolsOptions } from "./open-target.ts";

/** How a call prepares its operations. */
export interface ChangePlan {
  readonly roots: FileRoots;
  readonly folder: ChangeFolder;
}

/** Returns the operations of a call; reads the files that they depend on. @throws FileError */
export type Plan = (plan: ChangePlan) => Promise<readonly Operation[]>;

/** Returns what the operations of a call need: its user's changes, and the access checks. */
export async function changeContext(
  options: EditToolsOptions,
  { principal, denied, signal }: PreviewContext,
): Promise<ChangeContext> {
  const resources = denied();
  return {
    roots: await fileRoots(options, resources),
    folder: new ChangeFolder(options.changes, principal.id),
    signal,
    protected: [...(options.protected ?? []), options.changes],
    async checkFolder(real, path) {
      const paths = [
        ...(options.deny ?? []).map((one) => resolve(one)),
        ...(await deniedPaths(options.roots, resources)),
      ];
      if (paths.some((one) => isInside(one, real)))
        throw new FileError("denied_path", `A rule denies a path in "${path}", so it stays there.`);
    },
  };
}

/**
 * Makes the change of one call, or returns the change that an earlier attempt of this call made. An
 * attempt that was cut off is rolled back first, so that the change happens once, and as a whole.
 *
 * @throws FileError
 */
export async function makeChange(
  options: EditToolsOptions,
  { principal, toolId, idempotencyKey, signal, denied }: ToolContext,
  plan: Plan,
): Promise<ChangeRecord> {
  const context = await changeContext(options, { principal, signal, denied });
  const { roots, folder } = context;
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
    operations = await plan({ roots, folder });
  } catch (error) {
    await folder.forget(change.id);
    throw error;
  }
  const done = await applyOperations(operations, change, context);
  await folder.prune();
  return done;
}
