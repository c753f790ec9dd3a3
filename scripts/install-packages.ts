import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root, runNpm } from "./command.ts";

/** Returns whether the packages of the folder's current lockfile are installed. */
export async function arePackagesInstalled(folder: string): Promise<boolean> {
  const { lockfile, installed } = lockfilesOf(folder);
  const wanted = await readFile(lockfile, "utf8");
  return (await readFile(installed, "utf8").catch(() => undefined)) === wanted;
}

/**
 * Installs the packages of a folder with a separate lockfile with `npm ci`, if they are missing or
 * the lockfile has changed since.
 *
 * @param folder from the repository's root
 * @throws Error with npm's output if it fails
 */
export async function installPackages(folder: string): Promise<void> {
  if (await arePackagesInstalled(folder)) return;
  process.stderr.write(`Installing ${folder}/package-lock.json …\n`);
  const { code, output } = await runNpm(["ci", "--ignore-scripts"], { cwd: join(root, folder) });
  if (code !== 0) throw new Error(`npm ci failed in ${folder}/ with code ${code}:\n${output}`);
  const { lockfile, installed } = lockfilesOf(folder);
  await copyFile(lockfile, installed);
}

/** `installed` is a copy of the lockfile from which the packages were installed. */
function lockfilesOf(folder: string) {
  return {
    lockfile: join(root, folder, "package-lock.json"),
    installed: join(root, folder, "node_modules/.installed-lock.json"),
  };
}
