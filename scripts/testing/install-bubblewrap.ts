import { spawnSync } from "node:child_process";
import { canInstall, installPackage } from "./apt.ts";

/**
 * Finds the sandbox that tests of scripts and code need, or installs it if the user is root and the
 * system has apt. Without it these tests are skipped, and counted.
 */
export async function ensureBubblewrap(): Promise<void> {
  if (process.platform !== "linux" || spawnSync("bwrap", ["--version"]).status === 0) return;
  if (!canInstall()) {
    console.log(
      "No bubblewrap (bwrap) on PATH. Tests of the sandbox are skipped. Install it (Debian and Ubuntu: " +
        "apt-get install bubblewrap), and run them again.",
    );
    return;
  }
  console.log(
    "No bubblewrap (bwrap) on PATH. Tests of the sandbox need it, so it is installed with apt, once.",
  );
  if (!(await installPackage("bubblewrap")))
    console.log("bubblewrap could not be installed. Tests of the sandbox are skipped.");
}
