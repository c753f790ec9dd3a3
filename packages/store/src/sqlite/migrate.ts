import {
  createVersions,
  foreignDatabase,
  isVersions,
  readVersion,
  requireNewest,
  statementsFor,
  stepsAfter,
  writeVersion,
} from "../schema/migration-steps.ts";
import { type Migration, migrations } from "../schema/migrations.ts";
import type { MigrationSql } from "../schema/move-inputs.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Brings an SQLite database up to date in one transaction: a step that fails changes nothing, and
 * those before it neither, so that the version of Capstan that was there before can go on with it.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it, or
 * `database_foreign` where another program has
 */
export function migrate(
  sql: SqliteConnection,
  at: number,
  steps: readonly Migration[] = migrations,
): void {
  sql.exec("BEGIN IMMEDIATE");
  try {
    const due = stepsAfter(schemaVersion(sql), steps);
    sql.exec(createVersions);
    for (const { version, statements } of due) {
      for (const statement of statementsFor("sqlite", statements)) sql.exec(statement);
      sql.run(writeVersion, version, at);
    }
    sql.exec("COMMIT");
  } catch (error) {
    if (sql.inTransaction) sql.exec("ROLLBACK");
    throw error;
  }
}

/** The statements of data that a migration moves. */
export function migrationSql(sql: SqliteConnection): MigrationSql {
  return {
    all: async (text, ...values) => sql.all(text, ...values),
    transaction: async (body) => {
      sql.exec("BEGIN IMMEDIATE");
      try {
        await body();
        sql.exec("COMMIT");
      } catch (error) {
        if (sql.inTransaction) sql.exec("ROLLBACK");
        throw error;
      }
    },
    // The log would else grow as long as the database.
    checkpoint: async () => void sql.all("PRAGMA wal_checkpoint(TRUNCATE)"),
  };
}

/**
 * For who reads a database as it lies there.
 *
 * @throws CapstanError `database_older` where it has yet to be brought up to date, `database_newer`
 * or `database_foreign`
 */
export function requireCurrent(sql: SqliteConnection): void {
  requireNewest(schemaVersion(sql), migrations);
}

/**
 * For who is about to bring a database up to date.
 *
 * @throws CapstanError `database_newer` or `database_foreign`
 */
export function requireKnown(sql: SqliteConnection): void {
  stepsAfter(schemaVersion(sql), migrations);
}

/**
 * The number of a database's schema; 0 where there is nothing in it.
 *
 * @throws CapstanError `database_foreign`
 */
export function schemaVersion(sql: SqliteConnection): number {
  const columns = sql.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", versions);
  const isOurs = isVersions(columns);
  const version = isOurs ? (sql.get<{ version: number }>(readVersion)?.version ?? 0) : 0;
  if (version > 0) return version;
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'",
  );
  if (tables.every(({ name }) => isOurs && name === versions)) return 0;
  throw foreignDatabase(
    "The file capstan.db of the data directory",
    "Name another data directory, or move that file away",
  );
}

const versions = "schema_migrations";
