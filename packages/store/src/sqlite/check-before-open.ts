import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { requireLog } from "./log-marker.ts";
import { requireIntactWal } from "./wal-corruption.ts";
import { openForReading } from "./open-database.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Checks a database before it is opened for writing, which would checkpoint its write-ahead log.
 * The caller must hold the lock of the data directory.
 *
 * @throws CapstanError `database_corrupt` if the log is corrupt or lost, or the error of `check`
 */
export async function checkBeforeOpen(
  path: string,
  check: (sql: SqliteConnection) => void,
): Promise<void> {
  await requireIntactWal(path);
  await requireLog(path);
  // Only a writable connection can roll back a transaction that a crash left in a rollback journal.
  const sql = existsSync(`${path}-journal`)
    ? new SqliteConnection(new DatabaseSync(path, { timeout: 5_000 }))
    : openForReading(path);
  try {
    check(sql);
  } finally {
    sql.close();
  }
}
