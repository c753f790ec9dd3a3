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
import type { Migration } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import type { MigrationSql } from "../schema/move-inputs.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Migrates an SQLite database in one transaction. If a step fails, no step changes anything, so
 * that the previous version of Capstan can still use the database.
 *
 * @throws CapstanError `database_newer` if a later version of Capstan has written it, or
 * `database_foreign` if another program has
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

/** Returns the statements for a migration that moves data. */
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
    // Otherwise the log would grow to the size of the database.
    checkpoint: async () => void sql.all("PRAGMA wal_checkpoint(TRUNCATE)"),
  };
}

/**
 * Checks that a database has the newest schema, for readers that do not migrate.
 *
 * @throws CapstanError `database_older` if it has not been migrated yet, `database_newer` or
 * `database_foreign`
 */
export function requireCurrent(sql: SqliteConnection): void {
  requireNewest(schemaVersion(sql), migrations);
}

/**
 * Checks that a database can be migrated.
 *
 * @throws CapstanError `database_newer` or `database_foreign`
 */
export function requireKnown(sql: SqliteConnection): void {
  stepsAfter(schemaVersion(sql), migrations);
}

/**
 * Returns the number of a database's schema, or 0 if the database is empty.
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
