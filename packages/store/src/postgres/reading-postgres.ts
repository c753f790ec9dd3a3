import pg from "pg";
import { requireNewest } from "../schema/migration-steps.ts";
import { migrations } from "../schema/migrations.ts";
import { longRead } from "../live/long-reads.ts";
import { noStore } from "../live/no-store.ts";
import { retentionReads } from "../live/store-reads.ts";
import type { RetentionReading } from "../records/store-reading.ts";
import { checkAddress, clientConfig, type DatabaseAddress } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";
import { describeDatabase } from "./wire/describe-database.ts";
import { postgresReads } from "./read/postgres-reads.ts";
import { versionIn } from "./schema-version.ts";

/**
 * Reads a database as it lies there: makes no table, brings nothing up to date, and is no node of it.
 * Others may go on with it meanwhile.
 *
 * @param connectionString `postgres://user:password@host:port/database`
 * @throws CapstanError `no_store`, `database_older`, `database_newer`, `database_foreign`, or what the database says
 * @example
 * await readingPostgres(url, (reads) => reads.everyUsage());
 */
export async function readingPostgres<T>(
  connectionString: string,
  use: (reads: RetentionReading) => Promise<T>,
): Promise<T> {
  const where = `PostgreSQL at ${describeDatabase(connectionString)}`;
  try {
    checkAddress(connectionString);
    const address = { connectionString, applicationName: "capstan db" };
    await requireCurrent(address, where);
    const { snapshot, close } = postgresReads(address, 1);
    try {
      return await use(retentionReads((name, query) => snapshot(() => longRead(name, query))));
    } finally {
      await close();
    }
  } catch (error) {
    throw databaseError(`Reading the store in ${where}`, error);
  }
}

async function requireCurrent(address: DatabaseAddress, where: string): Promise<void> {
  const client = new pg.Client(clientConfig(address));
  client.on("error", () => {});
  await client.connect();
  try {
    const version = await versionIn(client);
    if (version === undefined) throw noStore(where, "CAPSTAN_DATABASE_URL");
    requireNewest(version, migrations);
  } finally {
    await client.end();
  }
}
