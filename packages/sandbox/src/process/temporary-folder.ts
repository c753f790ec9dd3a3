import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./is-alive.ts";

const prefix = "capstan-run-";
let isSwept = false;

/**
 * Creates a folder for one program. The caller removes it. The first call also removes the folders
 * of killed processes.
 */
export function makeTemporaryFolder(): string {
  if (!isSwept) sweepTemporaryFolders();
  isSwept = true;
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Removes the folders of processes that have ended. */
export function sweepTemporaryFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (!isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
