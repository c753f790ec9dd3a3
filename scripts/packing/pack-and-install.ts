import { emit } from "./emit.ts";
import { pack, type PackedPackage } from "./pack.ts";
import { installAll } from "./trial.ts";
import { readWorkspaces } from "./workspaces.ts";

export interface PackedProject {
  readonly packed: readonly PackedPackage[];
  /** The folder into which all packages are installed. */
  readonly project: string;
}

/**
 * Builds and packs every package, and installs all of them into a new project below `folder`, with
 * production dependencies only.
 *
 * @throws Error with the output of the compiler, the bundler or npm
 */
export async function packAndInstall(folder: string): Promise<PackedProject> {
  const workspaces = await readWorkspaces();
  await emit(workspaces);
  const packed = await Promise.all(workspaces.map((workspace) => pack(workspace, folder)));
  return { packed, project: await installAll(packed, folder) };
}
