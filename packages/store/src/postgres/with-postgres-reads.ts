import pg from "pg";
import { requireNewest } from "../schema/migration-steps.ts";
import { migrations } from "../schema/migrations.ts";
import { slowRead } from "../live/slow-reads.ts";
import { missingStoreError } from "../records/store-error.ts";
import { createRetentionReader, type RetentionReader } from "../live/create-store-reader.ts";
import { checkAddress, type DatabaseAddress, describeDatabase } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";
import { postgresReads } from "./read/postgres-reads.ts";
import { versionIn } from "./schema-version.ts";

/**
 * Opens a database for reading, calls `use` and closes it. It neither creates nor migrates tables,
 * and it does not register as a node, so servers can use the database meanwhile.
 *
 * @param connectionString `postgres://user:password@host:port/database`
 * @throws CapstanError `no_store`, `database_older`, `database_newer`, `database_foreign`, or the
 * database's error
 * @example
 * await withPostgresReads(url, (reads) => reads.everyUsage());
 */
export async function withPostgresReads<T>(
  connectionString: string,
  use: (reads: RetentionReader) => Promise<T>,
): Promise<T> {
  const where = `PostgreSQL at ${describeDatabase(connectionString)}`;
  try {
    checkAddress(connectionString);
    const address = { connectionString, applicationName: "capstan db" };
    await requireCurrent(address, where);
    const { snapshot, close } = postgresReads(address, 1);
    try {
      return await use(
        createRetentionReader((name, query) => snapshot(() => slowRead(name, query))),
      );
    } finally {
      await close();
    }
  } catch (error) {
    throw databaseError(`Reading the store in ${where}`, error);
  }
}

/**
 * Checks that a database has the newest schema.
 *
 * @throws CapstanError `no_store`, `database_older`, `database_newer` or `database_foreign`
 */
export async function requireCurrent(address: DatabaseAddress, where: string): Promise<void> {
  const client = new pg.Client(clientConfig(address));
  client.on("error", () => {});
  await client.connect();
  try {
    const version = await versionIn(client);
    if (version === undefined) throw missingStoreError(where, "CAPSTAN_DATABASE_URL");
    requireNewest(version, migrations);
  } finally {
    await client.end();
  }
}
