import { rm } from "node:fs/promises";
import { join } from "node:path";
import { root, runCommand } from "../command.ts";
import { bundleLibraries } from "./bundle-libraries.ts";
import type { Workspace } from "./workspaces.ts";

/**
 * Writes each package's `dist`, after deleting it, so that no output of a deleted source file is
 * packed.
 *
 * @throws Error with the compiler's or the bundler's output.
 */
export async function emit(workspaces: readonly Workspace[]): Promise<void> {
  await Promise.all(
    workspaces.map(({ folder }) => rm(join(folder, "dist"), { recursive: true, force: true })),
  );
  await must("tsc", join(root, "node_modules/.bin/tsc"), ["-b", "packages/cli"]);
  await bundleLibraries();
  await must("the page's build", process.execPath, ["packages/web/build.ts"]);
}

async function must(what: string, command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${what} failed with code ${code}:\n${output}`);
}
