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

/** People's word about scripts, kept in files. */
export type ScriptApprovalBook = ReturnType<typeof openScriptApprovals>;

/**
 * Opens the approvals of an installation: a folder in the data directory, where no tool reaches it.
 * An approval holds for one path and exactly the content that the person saw; whatever changes,
 * the script asks every time again. Another process's word, the command line's, is seen at once.
 *
 * @param options.folder which nothing else uses; watched, and made where it is missing
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
    /** Only ever at a person's word: what calls this is no tool. */
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
    /** Whether there was an approval to take back. */
    revoke(path: string): boolean {
      const isRemoved = removeApproval(folder, path);
      if (isRemoved) changed();
      return isRemoved;
    },
    list: () => readApprovals(folder),
    /** Watches no longer. */
    close: () => watcher?.close(),
  };
}

function approvalProblem({ path, declared, problems }: Script): string | undefined {
  const error = problems.find(({ severity }) => severity === "error");
  if (error !== undefined)
    return `${path} has an error${error.line === undefined ? "" : ` in line ${error.line}`}: ${error.message} Mend it first.`;
  return declared === undefined
    ? `What ${path} declares was not read from the file itself. Read it without the cache.`
    : undefined;
}
