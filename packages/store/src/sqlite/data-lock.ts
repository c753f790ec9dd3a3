import { truncateSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CapstanError } from "@capstan/core/base";
import type { LockHolder } from "../live/store.ts";
import { storeError } from "../records/store-error.ts";

/** The lock of a data directory. */
export interface DataLock {
  /** Adds the server's address to the note next to the lock. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a data directory for this process. The operating system holds the lock on a separate file
 * and releases it when the process ends. The note next to it only describes the holder. The process
 * must not open the lock's file again: closing it would release the lock.
 *
 * @throws CapstanError `data_directory_locked`, or the file system's error
 */
export async function lockDataDirectory(dataDir: string, startedAt: number): Promise<DataLock> {
  const path = lockPath(dataDir);
  let database: DatabaseSync;
  try {
    database = takeLock(path);
  } catch (error) {
    if (!isResult(error, busy)) throw storeError(`Locking ${path}`, error);
    throw lockedError(dataDir, await readLockHolder(dataDir), error);
  }
  const holder: LockHolder = { pid: process.pid, startedAt };
  const note = (about: LockHolder) =>
    writeLockHolder(dataDir, about).catch((error: unknown) => {
      throw storeError(`Writing ${lockHolderPath(dataDir)}`, error);
    });
  try {
    await note(holder);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    announce: (url) => note({ ...holder, url }),
    release: async () => {
      await rm(lockHolderPath(dataDir), { force: true });
      database.close();
    },
  };
}

function takeLock(path: string): DatabaseSync {
  try {
    return beginOn(path);
  } catch (error) {
    if (!isResult(error, corrupt, notADatabase)) throw error;
    // No process holds the lock: otherwise SQLite would have reported that the file is locked. The
    // file is emptied and not deleted, so that all processes that do this lock the same file.
    truncateSync(path);
    return beginOn(path);
  }
}

function beginOn(path: string): DatabaseSync {
  // Long enough for another command to finish checking the lock.
  const database = new DatabaseSync(path, { timeout: 250 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Returns the holder of a data directory, or undefined if there is none. Ignores the note of a dead
 * process.
 */
export async function readLock(dataDir: string): Promise<LockHolder | undefined> {
  const note = await readLockHolder(dataDir);
  return note !== undefined && isHeld(dataDir) ? note : undefined;
}

function isHeld(dataDir: string): boolean {
  try {
    using database = new DatabaseSync(lockPath(dataDir), { readOnly: true, timeout: 0 });
    database.prepare("SELECT COUNT(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isResult(error, busy);
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

/** SQLite's primary result codes. */
const busy = 5;
const corrupt = 11;
const notADatabase = 26;

function isResult(error: unknown, ...codes: readonly number[]): boolean {
  return (
    error instanceof Error && "errcode" in error && codes.includes(Number(error.errcode) & 0xff)
  );
}

const lockPath = (dataDir: string) => join(dataDir, "server.lock");

const lockHolderPath = (dataDir: string) => join(dataDir, "server.json");

/** Returns the holder of a data directory, or undefined if its file is missing or corrupt. */
async function readLockHolder(dataDir: string): Promise<LockHolder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(lockHolderPath(dataDir), "utf8"));
    return typeof holder === "object" && holder !== null && "pid" in holder
      ? (holder as LockHolder)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the holder of a data directory. The file is renamed into place, so that readers never see
 * an incomplete file.
 */
async function writeLockHolder(dataDir: string, holder: LockHolder): Promise<void> {
  const draft = `${lockHolderPath(dataDir)}.${holder.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    await rename(draft, lockHolderPath(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
