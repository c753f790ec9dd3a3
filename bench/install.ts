import { arePackagesInstalled, installPackages } from "../scripts/install-packages.ts";

/** Returns whether the peers of the current lockfile are installed. */
export function arePeersInstalled(): Promise<boolean> {
  return arePackagesInstalled("bench");
}

/**
 * Installs the peers with `npm ci` if they are missing or the lockfile has changed since.
 *
 * @throws Error with npm's output if it fails
 */
export function installPeers(): Promise<void> {
  return installPackages("bench");
}
