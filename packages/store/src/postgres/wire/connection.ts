import { CapstanError } from "@capstan/core/base";
import pg from "pg";

/** How a node reaches its database. */
export interface DatabaseAddress {
  readonly connectionString: string;
  /** Seen in `pg_stat_activity`. */
  readonly applicationName: string;
}

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
 * Before the driver sees it: what it says of an address that it cannot read has the password in it.
 *
 * @throws CapstanError `database_address`
 */
export function checkAddress(connectionString: string): void {
  if (URL.canParse(connectionString) && /^postgres(ql)?:/.test(connectionString)) return;
  throw new CapstanError({
    code: "database_address",
    message:
      "The database's address cannot be read: it should be like postgres://user:password@host:5432/database, " +
      "with special characters of the password escaped as in any URL (`@` is %40).",
  });
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

/** The address for people: never with the password. */
export function describeDatabase(connectionString: string): string {
  try {
    const url = new URL(connectionString);
    const host = url.searchParams.get("host") ?? url.host;
    return `${host === "" ? "the local socket" : host}${url.pathname}`;
  } catch {
    return "the address given";
  }
}
