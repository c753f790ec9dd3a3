import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CapstanError } from "@capstan/core";

/** Who holds a data directory. */
export interface LockHolder {
  readonly pid: number;
  /** Where it listens; absent until it does. */
  readonly url?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface DataLock {
  /** Adds the address to the note beside the lock. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes a data directory for this process. The lock is the operating system's, on a file of its
 * own, and goes with the process however it ends; the note beside it only says who holds it.
 * Nothing else may open the lock's file in this process: closing it would let the lock go.
 *
 * @throws CapstanError `data_directory_locked`
 */
export async function lockDataDirectory(dataDir: string, startedAt: number): Promise<DataLock> {
  // Long enough to outlast another command's look at it.
  const database = new DatabaseSync(lockPath(dataDir), { timeout: 250 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw lockedError(dataDir, await readNote(dataDir), error);
  }
  const holder: LockHolder = { pid: process.pid, startedAt };
  await writeNote(dataDir, holder);
  return {
    announce: (url) => writeNote(dataDir, { ...holder, url }),
    release: async () => {
      await rm(notePath(dataDir), { force: true });
      database.close();
    },
  };
}

/** Who holds the folder now; undefined where nobody does, whatever a process that died left behind. */
export async function readLock(dataDir: string): Promise<LockHolder | undefined> {
  const note = await readNote(dataDir);
  return note !== undefined && isHeld(dataDir) ? note : undefined;
}

function isHeld(dataDir: string): boolean {
  const database = new DatabaseSync(lockPath(dataDir), { readOnly: true, timeout: 0 });
  try {
    database.prepare("SELECT COUNT(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

function lockedError(
  dataDir: string,
  holder: LockHolder | undefined,
  cause: unknown,
): CapstanError {
  const who = holder === undefined ? "another process" : `process ${holder.pid}`;
  const where = holder?.url === undefined ? "" : `, which listens at ${holder.url}`;
  return new CapstanError({
    code: "data_directory_locked",
    message:
      `The data directory ${dataDir} is in use by ${who}${where}. Use that server, stop it, or choose another ` +
      "data directory.",
    cause,
  });
}

async function readNote(dataDir: string): Promise<LockHolder | undefined> {
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
async function writeNote(dataDir: string, holder: LockHolder): Promise<void> {
  const draft = `${notePath(dataDir)}.${holder.pid}`;
  await writeFile(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  await rename(draft, notePath(dataDir));
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

const lockPath = (dataDir: string) => join(dataDir, "server.lock");
const notePath = (dataDir: string) => join(dataDir, "server.json");
