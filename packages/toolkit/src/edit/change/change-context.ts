import type { FileRoots } from "../../files/file-roots.ts";
import type { ChangeFolder } from "./change-record.ts";
import type { FolderContent } from "./inspect-folder.ts";
import type { Target } from "./open-target.ts";

/** How to make a change. */
export interface ChangeContext {
  readonly roots: FileRoots;
  /** The access checks of the call. It may read some paths that it may not change. */
  readonly sources: FileRoots;
  readonly protected: readonly string[];
  readonly folder: ChangeFolder;
  /**
   * Throws if a folder contains a denied path or a repository's history, because a move would
   * rename them. @throws FileError
   */
  readonly checkFolder: (target: Target, path: string) => Promise<FolderContent>;
  readonly signal: AbortSignal;
  /** The user and the abort signal of the call, for work in other processes. */
  readonly owner: { readonly user: string; readonly signal: AbortSignal };
}
