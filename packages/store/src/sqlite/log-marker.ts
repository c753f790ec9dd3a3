import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CapstanError } from "@capstan/core/base";
import { storeError } from "../records/store-error.ts";
import { openForReading } from "./open-database.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Each start commits the next odd number to the database (`PRAGMA user_version`). Each clean stop
 * commits the even number after it as its last commit, and writes that number to this file. If the
 * database then has the odd number, it has lost the end of its log.
 */
interface LogMarker {
  readonly count: number;
}

/** Returns the path of the marker, next to the database. */
export function markerPath(database: string): string {
  return join(dirname(database), "log.json");
}

/**
 * Commits the number of a start. The log must be moved into the database before anything else is
 * committed.
 */
export function countStart(sql: SqliteConnection): void {
  const count = readCount(sql);
  try {
    sql.exec(`PRAGMA user_version = ${count + 1 + (count % 2)}`);
  } catch {
    // A full disk does not prevent a start. Without a new number, a lost log is not detected.
  }
}

/**
 * Commits the number of a clean stop, moves the log into the database as far as readers allow, and
 * writes the marker.
 */
export async function markStop(database: string, sql: SqliteConnection): Promise<void> {
  const count = readCount(sql) + 1;
  const hasStarted = count % 2 === 0;
  try {
    if (hasStarted) sql.exec(`PRAGMA user_version = ${count}`);
  } finally {
    sql.get("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  if (!hasStarted) return;
  // With `durability: "process"` a commit does not wait for the disk.
  syncLog(database);
  const marker: LogMarker = { count };
  const path = markerPath(database);
  writeFileSync(`${path}.draft`, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.draft`, path);
}

/**
 * Detects a log that was deleted or truncated after a clean stop. After a crash, a missing log
 * cannot be distinguished from an empty one, because any program that opens the database moves the
 * log into it and deletes it.
 *
 * @param database its path; a server can use it meanwhile
 * @returns the problem and the solution, or undefined if the log is complete or nothing is known
 * about it
 */
export async function findLostLog(database: string): Promise<string | undefined> {
  const marker = await readMarker(database);
  if (marker === undefined) return undefined;
  if (storedCount(database) !== marker.count - 1) return undefined;
  return (
    `The write-ahead log ${database}-wal was deleted or truncated after the server had stopped: the commits in it are missing. ` +
    "Put the log back next to the database, or restore a backup. " +
    `To continue without these commits, delete ${markerPath(database)}, and check the rest with \`capstan db check\`.`
  );
}

/**
 * Checks that the log of the last clean stop was not deleted or truncated.
 *
 * @throws CapstanError `database_corrupt`
 */
export async function requireLog(database: string): Promise<void> {
  const found = await findLostLog(database);
  if (found !== undefined)
    throw new CapstanError({ code: "database_corrupt", message: `${found} Nothing was changed.` });
}

/**
 * Removes the number from a backup, which has no log and must not look like a database whose log is
 * missing.
 */
export function forgetCount(backup: SqliteConnection): void {
  backup.exec("PRAGMA user_version = 0");
}

function storedCount(database: string): number {
  try {
    const sql = openForReading(database);
    try {
      return readCount(sql);
    } finally {
      sql.close();
    }
  } catch (error) {
    throw storeError(`Reading ${database}`, error);
  }
}

function readCount(sql: SqliteConnection): number {
  return sql.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}

async function readMarker(database: string): Promise<LogMarker | undefined> {
  try {
    const marker = JSON.parse(await readFile(markerPath(database), "utf8")) as Partial<LogMarker>;
    return typeof marker.count === "number" ? { count: marker.count } : undefined;
  } catch {
    // The marker is missing or corrupt: nothing is known about the log.
    return undefined;
  }
}

function syncLog(database: string): void {
  const file = openSync(`${database}-wal`, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
