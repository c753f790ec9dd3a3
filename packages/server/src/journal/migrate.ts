import {
  createVersions,
  readVersion,
  requireNewest,
  statementsFor,
  stepsAfter,
  writeVersion,
} from "./migration-steps.ts";
import { type Migration, migrations } from "./migrations.ts";
import type { Sql } from "./sql.ts";

/**
 * Brings an SQLite database up to date, each step in a transaction of its own: a step that fails
 * changes nothing.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it
 */
export function migrate(sql: Sql, at: number, steps: readonly Migration[] = migrations): void {
  sql.exec(createVersions);
  const row = sql.get<{ version: number }>(readVersion);
  for (const { version, statements } of stepsAfter(row?.version ?? 0, steps)) {
    sql.exec("BEGIN IMMEDIATE");
    try {
      for (const statement of statementsFor("sqlite", statements)) sql.exec(statement);
      sql.run(writeVersion, version, at);
      sql.exec("COMMIT");
    } catch (error) {
      if (sql.inTransaction) sql.exec("ROLLBACK");
      throw error;
    }
  }
}

/**
 * For who reads a database as it lies there.
 *
 * @throws CapstanError `database_older` where it has yet to be brought up to date, or `database_newer`
 */
export function requireCurrent(sql: Sql): void {
  requireNewest(sql.get<{ version: number }>(readVersion)?.version ?? 0, migrations);
}
