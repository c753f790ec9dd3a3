import { type FSWatcher, watch } from "node:fs";
import { type Clock, type ToolError, toolError } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import type { DeclaredPermissions, Script } from "../definition/script-function.ts";
import {
  isApprovalFile,
  writeApproval,
  makeApprovalsFolder,
  readApprovals,
  removeApproval,
  type ScriptApproval,
} from "./approval-files.ts";

/** The users' approvals of scripts, stored in files. */
export type ScriptApprovalBook = ReturnType<typeof openScriptApprovals>;

/**
 * Opens the approvals of an installation: a folder in the data directory, which tools cannot
 * access. An approval covers one path, with exactly the content that the user saw. After any change
 * every call of the script needs approval again. Approvals by another process, such as the command
 * line, take effect immediately.
 *
 * @param options.folder a folder for approvals only; it is watched, and created if it is missing
 * @example const approvals = openScriptApprovals({ folder: join(dataDir, "scripts/approvals") });
 */
export function openScriptApprovals(options: {
  readonly folder: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}) {
  const { folder, clock = systemClock } = options;
  const listeners = new Set<() => void>();
  let approvals = readApprovals(folder);
  const changed = () => {
    approvals = readApprovals(folder);
    for (const listener of listeners) listener();
  };
  let watcher: FSWatcher | undefined;
  const watchFolder = () => {
    if (watcher !== undefined) return;
    makeApprovalsFolder(folder);
    watcher = watch(folder, { persistent: false }, (_, name) => {
      if (isApprovalFile(name)) changed();
    });
    approvals = readApprovals(folder);
  };
  return {
    approved({ path, contentHash }: Script): DeclaredPermissions | undefined {
      const found = approvals.get(path);
      return found?.contentHash === contentHash ? found.permissions : undefined;
    },
    contentOf: (path: string): string | undefined => approvals.get(path)?.contentHash,
    subscribe(listener: () => void): () => void {
      watchFolder();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Called only for a user's decision, never by a tool. */
    approve(script: Script): ScriptApproval | ToolError {
      const problem = approvalProblem(script);
      if (problem !== undefined || script.declared === undefined)
        return toolError({ code: "script_not_approvable", message: problem ?? "" });
      const { contentHash, declared: permissions } = script;
      const approval = { contentHash, permissions, approvedAt: clock.now() };
      writeApproval(folder, script.path, approval);
      changed();
      return approval;
    },
    /**
     * Revokes an approval.
     *
     * @returns whether there was one
     */
    revoke(path: string): boolean {
      const isRemoved = removeApproval(folder, path);
      if (isRemoved) changed();
      return isRemoved;
    },
    list: () => readApprovals(folder),
    /** Stops watching the folder. */
    close: () => watcher?.close(),
  };
}

function approvalProblem({ path, declared, problems }: Script): string | undefined {
  const error = problems.find(({ severity }) => severity === "error");
  if (error !== undefined)
    return `${path} has an error${error.line === undefined ? "" : ` in line ${error.line}`}: ${error.message} Fix it first.`;
  return declared === undefined
    ? `The permissions of ${path} were read from the cache. Read the file without the cache.`
    : undefined;
}
