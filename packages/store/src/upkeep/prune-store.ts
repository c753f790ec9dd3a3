import { stat } from "node:fs/promises";
import { join } from "node:path";
import { openForReading } from "../sqlite/open-database.ts";
import { openStore } from "../sqlite/open-store.ts";
import { slowRead } from "../live/slow-reads.ts";
import { databaseIn, type StoreLocation } from "./maintenance.ts";
import { requireCurrent } from "../sqlite/migrate.ts";
import { storeError } from "../records/store-error.ts";
import { createRetentionReader } from "../live/create-store-reader.ts";
import type { RetentionReader } from "../live/create-store-reader.ts";
import type { Store } from "../live/store.ts";
import type { Usage } from "../records/read-results.ts";
import { deleteUnreachable } from "./delete-unreachable.ts";
import { type PruneReport, planPrune, prune } from "./prune.ts";
import type { Retention } from "./retention-rules.ts";

/** The storage of each user, with the size of SQLite's file. */
export interface StoreUsage {
  readonly users: readonly Usage[];
  readonly fileBytes?: number;
}

/**
 * Returns the storage of each user. A server may use the store meanwhile.
 *
 * @throws CapstanError `no_store`, `database_older`, or the store's error
 */
export async function readUsage(location: StoreLocation): Promise<StoreUsage> {
  const users = await withReads(location, (reads) => reads.everyUsage());
  if (location.databaseUrl !== undefined) return { users };
  const { size } = await stat(join(location.dataDir, "capstan.db"));
  return { users, fileBytes: size };
}

/**
 * Returns what `pruneStore` would delete now. It changes nothing, and a server may use the store
 * meanwhile.
 */
export function planStorePrune(
  location: StoreLocation,
  retention: Retention,
): Promise<readonly PruneReport[]> {
  return withReads(location, (reads) => planPrune({ reader: reads, retention, now: Date.now() }));
}

/**
 * Deletes the data that the rules select. No other process may use SQLite's file meanwhile.
 *
 * @throws CapstanError `no_store`, `data_directory_locked`, or the store's error
 */
export async function pruneStore(
  location: StoreLocation,
  retention: Retention,
): Promise<readonly PruneReport[]> {
  if (location.databaseUrl === undefined) await databaseIn(location.dataDir);
  const store = await openWhole(location);
  try {
    const pruned = await prune({ store, retention, now: Date.now() });
    await store.collectBlobs();
    await deleteUnreachable({ store, after: 0 });
    return pruned;
  } finally {
    await store.close();
  }
}

async function openWhole({ dataDir, databaseUrl, files }: StoreLocation): Promise<Store> {
  if (databaseUrl === undefined) return openStore({ dataDir, files });
  const { openPostgresStore } = await import("../postgres/open-postgres-store.ts");
  return openPostgresStore({ connectionString: databaseUrl, files });
}

async function withReads<T>(
  location: StoreLocation,
  use: (reads: RetentionReader) => Promise<T>,
): Promise<T> {
  if (location.databaseUrl !== undefined) {
    const { withPostgresReads } = await import("../postgres/with-postgres-reads.ts");
    return withPostgresReads(location.databaseUrl, use);
  }
  const path = await databaseIn(location.dataDir);
  try {
    const sql = openForReading(path);
    try {
      requireCurrent(sql);
      return await use(
        createRetentionReader(async (name, query) => sql.read(slowRead(name, query))),
      );
    } finally {
      sql.close();
    }
  } catch (error) {
    throw storeError("Reading the store", error);
  }
}
