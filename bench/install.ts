import { copyFile, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runNpm } from "../scripts/command.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const lockfile = new URL("package-lock.json", import.meta.url);
/** A copy of the lockfile from which the peers were installed. */
const installed = new URL("node_modules/.installed-lock.json", import.meta.url);

/** Returns whether the peers of the current lockfile are installed. */
export async function arePeersInstalled(): Promise<boolean> {
  const wanted = await readFile(lockfile, "utf8");
  return (await readFile(installed, "utf8").catch(() => undefined)) === wanted;
}

/**
 * Installs the peers with `npm ci` if they are missing or the lockfile has changed since.
 *
 * @throws Error with npm's output if it fails
 */
export async function installPeers(): Promise<void> {
  if (await arePeersInstalled()) return;
  process.stderr.write("Installing the peers (bench/package-lock.json) …\n");
  const { code, output } = await runNpm(["ci", "--ignore-scripts"], { cwd: folder });
  if (code !== 0) throw new Error(`npm ci failed in bench/ with code ${code}:\n${output}`);
  await copyFile(lockfile, installed);
}
