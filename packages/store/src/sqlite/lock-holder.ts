import type { LockHolder } from "../records/store.ts";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const lockHolderPath = (dataDir: string) => join(dataDir, "server.json");

/** Returns the holder of a data directory, or undefined if its file is missing or corrupt. */
export async function readLockHolder(dataDir: string): Promise<LockHolder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(lockHolderPath(dataDir), "utf8"));
    return typeof holder === "object" && holder !== null && "pid" in holder
      ? (holder as LockHolder)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the holder of a data directory. The file is renamed into place, so that readers never see half of it. */
export async function writeLockHolder(dataDir: string, holder: LockHolder): Promise<void> {
  const draft = `${lockHolderPath(dataDir)}.${holder.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    await rename(draft, lockHolderPath(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
