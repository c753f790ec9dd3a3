import { CapstanError } from "@capstan/core/base";
import type { Dialect } from "../sql/dialect.ts";
import type { Migration, MigrationStatement } from "./migrations.ts";

export const createVersions =
  "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)";
export const readVersion = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
export const writeVersion = "INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)";

/** Whether a table of that name is ours: other programs keep one, too. */
export function isVersions(columns: readonly { readonly name: string }[]): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return names.has("version") && names.has("applied_at");
}

/** @param database and `instead`: what was found, and what to do about it, each in its database's words */
export function foreignDatabase(database: string, instead: string): CapstanError {
  return new CapstanError({
    code: "database_foreign",
    message: `${database} holds something else: another program has made tables in it. Nothing of it was changed. ${instead}.`,
  });
}

/**
 * The steps that a database still needs.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it
 */
export function stepsAfter(version: number, steps: readonly Migration[]): readonly Migration[] {
  const newest = steps.at(-1)?.version ?? 0;
  if (version > newest) {
    throw new CapstanError({
      code: "database_newer",
      message:
        `The database was written by a newer version of Capstan: its schema is number ${version}, and this version ` +
        `knows up to ${newest}. Start the newer version, or use another database.`,
    });
  }
  return steps.filter((step) => step.version > version);
}

/**
 * For who reads a database as it lies there.
 *
 * @throws CapstanError `database_older` where it has yet to be brought up to date, or `database_newer`
 */
export function requireNewest(version: number, steps: readonly Migration[]): void {
  const newest = stepsAfter(version, steps).at(-1)?.version;
  if (newest === undefined) return;
  throw new CapstanError({
    code: "database_older",
    message:
      `The database was written by an older version of Capstan: its schema is number ${version}, and this version ` +
      `reads number ${newest}. Start this version's server once, which brings it up to date, or use the older version.`,
  });
}

/** A step's statements in the words of a database. */
export function statementsFor(
  name: Dialect["name"],
  statements: readonly MigrationStatement[],
): readonly string[] {
  return statements.flatMap((statement) => {
    if (typeof statement === "object") return statement[name] ?? [];
    return name === "sqlite" ? statement : forPostgres(statement);
  });
}

/** PostgreSQL's integers are short, and its texts sorted as people sort them unless it is told otherwise. */
function forPostgres(statement: string): string {
  return statement
    .replaceAll("INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY")
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
