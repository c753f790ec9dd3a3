import type { FileRoots } from "../../files/file-roots.ts";
import type { ChangeFolder } from "./change-record.ts";
import type { FolderContent } from "./inspect-folder.ts";
import type { Target } from "./open-target.ts";

/** How to make a change. */
export interface ChangeContext {
  readonly roots: FileRoots;
  /** The paths that the call may read, some of which it may not change. */
  readonly sources: FileRoots;
  readonly protected: readonly string[];
  readonly folder: ChangeFolder;
  /**
   * Throws if a folder contains a denied path or the history of a repository, which would get
   * another name. @throws FileError
   */
  readonly checkFolder: (target: Target, path: string) => Promise<FolderContent>;
  readonly signal: AbortSignal;
  /** The user and the end of the call, for work in other processes. */
  readonly owner: { readonly user: string; readonly signal: AbortSignal };
}
