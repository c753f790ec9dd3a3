import type { LockHolder } from "../records/store.ts";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const notePath = (dataDir: string) => join(dataDir, "server.json");

/** Undefined where there is none that can be read. */
export async function readNote(dataDir: string): Promise<LockHolder | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(notePath(dataDir), "utf8"));
    return typeof note === "object" && note !== null && "pid" in note
      ? (note as LockHolder)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Renamed into place, so that nobody reads half of it. */
export async function writeNote(dataDir: string, holder: LockHolder): Promise<void> {
  const draft = `${notePath(dataDir)}.${holder.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    await rename(draft, notePath(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
