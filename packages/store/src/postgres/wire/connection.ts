import pg from "pg";
import type { DatabaseAddress } from "./address.ts";

// Numbers here are counts, times and sizes: all below 2^53.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary"): unknown =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};

/** What a client or a pool is made with. */
export function clientConfig({
  connectionString,
  applicationName,
}: DatabaseAddress): pg.ClientConfig {
  return {
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // What belongs together goes over at once, without waiting for each answer.
    pipeline: true,
    types,
  };
}

/**
 * How a connection plans. Statements here find rows by key: a plan that fits one value fits each,
 * and is made once; what is used is in memory, so that an index costs little more than a table.
 */
const planByKey = "SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1";

/** Long values are compressed at a third of the cost, where the server knows how. */
const compressFast = `SELECT set_config(name, 'lz4', false) FROM pg_settings
  WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)`;

/** What a connection is told first. Nothing of it is less durable. */
export const sessionSettings = `${planByKey}; ${compressFast}`;
