import { CapstanError } from "@capstan/core/base";
import type { Dialect } from "../sql/dialect.ts";
import type { Migration, MigrationStatement } from "./migration.ts";

/** Creates the table of schema versions. */
export const createVersions =
  "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)";
/** Selects the schema version. */
export const readVersion = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
/** Inserts a schema version. */
export const writeVersion = "INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)";

/**
 * Returns whether a table of schema versions is Capstan's: other programs also have tables of that
 * name.
 */
export function isVersions(columns: readonly { readonly name: string }[]): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return names.has("version") && names.has("applied_at");
}

/**
 * Returns the error for a database of another program.
 *
 * @param database names the database, at the beginning of a sentence
 * @param instead what to do instead, for this kind of database
 */
export function foreignDatabase(database: string, instead: string): CapstanError {
  return new CapstanError({
    code: "database_foreign",
    message: `${database} belongs to another program: it has tables that Capstan did not create. Nothing was changed. ${instead}.`,
  });
}

/**
 * Returns the steps that a database still needs.
 *
 * @throws CapstanError `database_newer` if a later version of Capstan has written it
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
 * Checks that a database has the newest schema, for readers that do not migrate.
 *
 * @throws CapstanError `database_older` if it has not been migrated yet, or `database_newer`
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

/** Returns the statements of a step in a database's dialect. */
export function statementsFor(
  name: Dialect["name"],
  statements: readonly MigrationStatement[],
): readonly string[] {
  return statements.flatMap((statement) => {
    if (typeof statement === "object") return statement[name] ?? [];
    return name === "sqlite" ? statement : forPostgres(statement);
  });
}

/**
 * PostgreSQL's INTEGER has 32 bits, and by default it sorts texts by a locale instead of by code
 * points.
 */
function forPostgres(statement: string): string {
  return statement
    .replaceAll("INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY")
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
