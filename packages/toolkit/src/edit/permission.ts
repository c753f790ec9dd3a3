import { posix } from "node:path";
import type { Tool, ToolArgs } from "@capstan/core";
import { canonicalPath, type FileToolsOptions } from "../files/file-roots.ts";
import type { ChangeRecord } from "./change/change-record.ts";

type GrantOffer = ReturnType<NonNullable<NonNullable<Tool["permission"]>["grantScope"]>>;

/**
 * The permission of a tool that changes one path: each call needs an approval, and a wider approval
 * covers the folder. If a name contains `*`, which would be a pattern, the wider approval covers
 * only the path.
 */
export function folderPermission(options: FileToolsOptions) {
  const canonical = canonicalPath(options);
  return {
    executionPolicy: "ask-always",
    canonicalArguments: canonical,
    grantScope: (args: { readonly path: string }): GrantOffer => {
      const { path } = canonical(args);
      const folder = posix.dirname(path);
      if (folder === "." || folder.includes("*")) return exactPath(path);
      return { when: { path: `${folder}/**` }, title: `files in ${folder}` };
    },
  } as const;
}

/** A wider approval that covers one path, and no path in it. */
export function exactPath(path: string): GrantOffer {
  return { when: { path: { equals: path } }, title: path };
}

/** The permission of a tool that changes two paths. */
export function pathsPermission(options: FileToolsOptions) {
  const canonical = canonicalPath(options);
  return {
    executionPolicy: "ask-always",
    canonicalArguments: ({
      from,
      to,
      ...rest
    }: {
      readonly from: string;
      readonly to: string;
    }): ToolArgs => ({
      ...rest,
      from: canonical({ path: from }).path,
      to: canonical({ path: to }).path,
    }),
  } as const;
}

/** Returns the lock of a path: calls that change the same file run one after another. */
export function pathLocks(options: FileToolsOptions) {
  const canonical = canonicalPath(options);
  return (path: string): string => `file:${canonical({ path }).path}`;
}

/** The result of a tool that changes files. */
export interface ChangeResult {
  /** A description of the change, for the model. */
  readonly text: string;
  /** The id for `Undo`. */
  readonly change: string;
}

export function changeResult(text: string, { id }: ChangeRecord): ChangeResult {
  return { text, change: id };
}

/** Formats a result for the model. */
export function formatChange({ text, change }: ChangeResult): string {
  return `${text} [${change}]`;
}
