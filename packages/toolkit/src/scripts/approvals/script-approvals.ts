import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { type Clock, systemClock, toolError, type ToolError } from "@capstan/core";
import type { Script, ScriptApprovals } from "../script-function.ts";
import {
  readApprovals,
  type ScriptApproval,
  type ScriptApprovalTable,
  writeApprovals,
} from "./approvals-file.ts";

/** People's word about scripts, kept in a file. */
export interface ScriptApprovalBook extends ScriptApprovals {
  /**
   * Keeps that a person approved what a script declares, as it is now. Only ever at a person's
   * word: what calls this is no tool.
   */
  approve(script: Script): ScriptApproval | ToolError;
  /** Whether there was an approval to take back. */
  revoke(path: string): boolean;
  list(): ScriptApprovalTable;
  /** Watches no longer. */
  close(): void;
}

/**
 * Opens the approvals of an installation: a file in the data directory, where no tool reaches it.
 * An approval holds for one path and exactly the content that the person saw; whatever changes,
 * the script asks every time again. Another process's word, the command line's, is seen at once.
 *
 * @param options.file in a folder of its own, which is watched and made where it is missing
 * @example const approvals = openScriptApprovals({ file: join(dataDir, "scripts/approvals.json") });
 */
export function openScriptApprovals(options: {
  readonly file: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}): ScriptApprovalBook {
  const { file, clock = systemClock } = options;
  const listeners = new Set<() => void>();
  let approvals = readApprovals(file);
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let watcher: FSWatcher | undefined;
  const watchFile = () => {
    if (watcher !== undefined) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (name !== basename(file)) return;
      approvals = readApprovals(file);
      tell();
    });
    approvals = readApprovals(file);
  };
  const change = (edit: (table: Map<string, ScriptApproval>) => void) => {
    // What another process wrote meanwhile stays.
    const table = new Map(readApprovals(file));
    edit(table);
    writeApprovals(file, table);
    approvals = table;
    tell();
  };
  return {
    approved({ path, contentHash }) {
      const found = approvals.get(path);
      return found?.contentHash === contentHash ? found.permissions : undefined;
    },
    subscribe(listener) {
      watchFile();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    approve(script) {
      const problem = approvalProblem(script);
      if (problem !== undefined || script.declared === undefined)
        return toolError({ code: "script_not_approvable", message: problem ?? "" });
      const { contentHash, declared: permissions } = script;
      const approval = { contentHash, permissions, approvedAt: clock.now() };
      change((table) => table.set(script.path, approval));
      return approval;
    },
    revoke(path) {
      const known = readApprovals(file).has(path);
      if (known) change((table) => table.delete(path));
      return known;
    },
    list: () => readApprovals(file),
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
