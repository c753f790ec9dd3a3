import { CapstanError } from "@capstan/core";
import { migrations } from "./migrations.ts";
import type { Sql } from "./sql.ts";

/**
 * Brings a database up to date, each step in a transaction of its own: a step that fails changes
 * nothing.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it
 */
export function migrate(sql: Sql, at: number, steps: typeof migrations = migrations): void {
  sql.exec(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)",
  );
  const row = sql.get<{ version: number | null }>(
    "SELECT MAX(version) AS version FROM schema_migrations",
  );
  const current = row?.version ?? 0;
  const newest = steps.at(-1)?.version ?? 0;
  if (current > newest) {
    throw new CapstanError({
      code: "database_newer",
      message:
        `The database was written by a newer version of Capstan: its schema is number ${current}, and this version ` +
        `knows up to ${newest}. Start the newer version, or use another data directory.`,
    });
  }
  for (const step of steps) {
    if (step.version <= current) continue;
    sql.exec("BEGIN IMMEDIATE");
    try {
      for (const statement of step.statements) sql.exec(statement);
      sql.run(
        "INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)",
        step.version,
        at,
      );
      sql.exec("COMMIT");
    } catch (error) {
      if (sql.inTransaction) sql.exec("ROLLBACK");
      throw error;
    }
  }
}
