import type { CapstanError } from "@capstan/core";
import type pg from "pg";
import { foreignDatabase, isVersions, readVersion } from "../schema/migration-steps.ts";

/**
 * The columns in the schema where tables would be created: other schemas can also have a table of
 * that name.
 */
const columns = `SELECT attname AS name FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid =
  (SELECT oid FROM pg_class WHERE relname = 'schema_migrations' AND relnamespace = current_schema()::regnamespace)`;

/**
 * Returns the version number of a database's schema, or undefined if there is no schema yet.
 *
 * @throws CapstanError `database_foreign` if another program uses the table
 */
export async function versionIn(client: pg.Client): Promise<number | undefined> {
  const { rows: found } = await client.query<{ name: string }>(columns);
  if (found.length === 0) return undefined;
  if (!isVersions(found)) throw foreignPostgres();
  return (await client.query<{ version: number }>(readVersion)).rows[0]?.version;
}

/** Returns the error for a PostgreSQL database of another program. */
export function foreignPostgres(): CapstanError {
  return foreignDatabase(
    "The database",
    "Name another one in CAPSTAN_DATABASE_URL, or a schema of its own for Capstan, as its search_path",
  );
}
