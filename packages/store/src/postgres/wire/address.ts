// Apart from connection.ts, because every server shows addresses, and only some load `pg`.
import { CapstanError } from "@capstan/core/base";

/** How a node reaches its database. */
export interface DatabaseAddress {
  readonly connectionString: string;
  /** Seen in `pg_stat_activity`. */
  readonly applicationName: string;
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
