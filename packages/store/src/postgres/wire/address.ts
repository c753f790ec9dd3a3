// Separate from connection.ts, because every server shows addresses, but only some load `pg`.
import { CapstanError } from "@capstan/core/base";

/** How a node reaches its database. */
export interface DatabaseAddress {
  readonly connectionString: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

/**
 * Checks an address before the driver does, because the driver's errors about invalid addresses
 * contain the password.
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

/** Returns an address for messages, without the password. */
export function describeDatabase(connectionString: string): string {
  try {
    const url = new URL(connectionString);
    const host = url.searchParams.get("host") ?? url.host;
    return `${host === "" ? "the local socket" : host}${url.pathname}`;
  } catch {
    return "the address given";
  }
}
