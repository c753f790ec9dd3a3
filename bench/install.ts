import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runNpm } from "../scripts/command.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const lockfile = new URL("package-lock.json", import.meta.url);
/** The lockfile that the installed peers came from. */
const installed = new URL("node_modules/.installed-lock.json", import.meta.url);

/**
 * Installs the peers with `npm ci` where they are missing or the lockfile has changed since.
 *
 * @throws Error with npm's output where it fails.
 */
export async function installPeers(): Promise<void> {
  const wanted = await readFile(lockfile, "utf8");
  const present = await readFile(installed, "utf8").catch(() => undefined);
  if (present === wanted) return;
  process.stderr.write("Installing the peers to measure beside (bench/package-lock.json) …\n");
  const { code, output } = await runNpm(["ci", "--ignore-scripts"], { cwd: folder });
  if (code !== 0) throw new Error(`npm ci failed in bench/ with code ${code}:\n${output}`);
  await writeFile(installed, wanted);
}
