import { CapstanError } from "@capstan/core/base";

interface Cause {
  readonly code: string;
  readonly advice: string;
}

const unreachable: Cause = {
  code: "database_unreachable",
  advice: "Check that PostgreSQL runs and listens there, and that no firewall is in between.",
};
const refused: Cause = {
  code: "database_rejected",
  advice:
    "Check that the user and the password of the address are right, and that the user may use this database.",
};

const untrusted: Cause = {
  code: "database_rejected",
  advice:
    "Check that the server's certificate is valid and made for this host, and name the authority that signed it: `sslrootcert=/path/to/ca.pem` in the address.",
};

/** SQLSTATEs and network errors that an administrator can fix. */
const causes: { readonly [code: string]: Cause } = {
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ENOENT: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  CERT_HAS_EXPIRED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  "28P01": refused,
  "28000": refused,
  "42501": refused,
  "3D000": {
    code: "database_missing",
    advice: "Create the database, or name another in the address.",
  },
  "53100": { code: "disk_full", advice: "The database's disk is full; make room and try again." },
  "53300": {
    code: "database_unreachable",
    advice:
      "The database accepts no more connections; raise `max_connections`, or run fewer nodes.",
  },
  "25006": {
    code: "database_rejected",
    advice: "This is a standby or a read-only database; name the primary.",
  },
  XX001: { code: "database_corrupt", advice: "The database is corrupt; restore a backup." },
  XX002: { code: "database_corrupt", advice: "An index is corrupt; rebuild it with `REINDEX`." },
};

/** Errors of the driver itself, which have no code. */
const driverCauses: readonly (Cause & { readonly pattern: RegExp })[] = [
  {
    pattern: /client password must be a string/,
    code: "database_rejected",
    advice:
      "The database asks for a password: put it into the address, postgres://user:password@host:5432/database, or into PGPASSWORD.",
  },
  {
    pattern: /does not support SSL/,
    code: "database_rejected",
    advice: "Turn TLS on at the server, or leave `sslmode` out of the address.",
  },
];

const lost: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08003",
  "08006",
  "53300",
]);

/**
 * Returns whether the connection is lost, or cannot be opened at the moment: the last statements
 * have possibly run.
 */
export function isConnectionLost(thrown: unknown): boolean {
  if (lost.has(codeOf(thrown))) return true;
  return (
    thrown instanceof Error &&
    codeOf(thrown) === "" &&
    /connection (error|terminated)|not queryable|connection timeout|timeout exceeded when trying to connect/i.test(
      thrown.message,
    )
  );
}

/** Returns whether the database is starting or recovering and will soon accept connections. */
export function isServerStarting(thrown: unknown): boolean {
  return codeOf(thrown) === "57P03";
}

/**
 * Returns whether a concurrent transaction caused the error, by a deadlock or by inserting the same
 * key first.
 */
export function isConflict(thrown: unknown): boolean {
  return ["40001", "40P01", "23505"].includes(codeOf(thrown));
}

/**
 * Returns the error for a failure of the database, with advice.
 *
 * @param what the failed action, as the beginning of a sentence, without the password
 */
export function databaseError(action: string, thrown: unknown): CapstanError {
  if (CapstanError.isInstance(thrown)) return thrown;
  const reason = thrown instanceof Error ? reasonOf(thrown) : String(thrown);
  const cause =
    causes[codeOf(thrown)] ??
    driverCauses.find(({ pattern }) => pattern.test(reason)) ??
    (isConnectionLost(thrown)
      ? unreachable
      : { code: "store_failed", advice: "Nothing of it was written." });
  return new CapstanError({
    code: cause.code,
    message: `${action} failed: ${reason}. ${cause.advice}`,
    cause: thrown,
  });
}

/** If a host has several addresses, returns the error of the first one. */
function reasonOf(thrown: Error): string {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  return first instanceof Error ? first.message : thrown.message;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}
