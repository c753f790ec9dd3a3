import pg from "pg";
import type { DatabaseAddress } from "./address.ts";

// Numbers in this database are counts, times and sizes, all below 2^53.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary"): unknown =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};

/** Returns the options of a client or a pool. */
export function clientConfig({
  connectionString,
  applicationName,
}: DatabaseAddress): pg.ClientConfig {
  return {
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Sends related messages together without waiting for each response.
    pipeline: true,
    types,
  };
}

/**
 * Settings of the planner. Statements find rows by key, so one generic plan fits all values.
 * Most pages are in memory, so a random read (of an index) costs little more than a sequential
 * read.
 */
const planByKey = "SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1";

/** Compresses long values in a third of the time, if the server supports it. */
const compressFast = `SELECT set_config(name, 'lz4', false) FROM pg_settings
  WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)`;

/** The statements that start every connection. None of them reduces durability. */
export const sessionSettings = `${planByKey}; ${compressFast}`;
