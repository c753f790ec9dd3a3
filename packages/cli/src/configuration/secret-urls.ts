export type ReadUrl =
  | { readonly status: "none" }
  | { readonly status: "given"; readonly url: string }
  | { readonly status: "invalid"; readonly problem: string };

/** Reads the address of a PostgreSQL database. No message contains it: it may hold a password. */
export function readDatabaseUrl(text: string | undefined): ReadUrl {
  return readUrl(
    text,
    /^postgres(ql)?:$/,
    "CAPSTAN_DATABASE_URL: expected postgres://user:password@host:5432/database, " +
      "with special characters of the password escaped (`@` is %40)",
  );
}

/**
 * Reads the address of a Redis, in the same way.
 *
 * @param hasDatabase whether there is a PostgreSQL database, without which there is nothing to hand out
 */
export function readRedisUrl(text: string | undefined, hasDatabase: boolean): ReadUrl {
  const read = readUrl(
    text,
    /^rediss?:$/,
    "CAPSTAN_REDIS_URL: expected redis://user:password@host:6379/0, or rediss:// with TLS, " +
      "with special characters of the password escaped (`@` is %40)",
  );
  if (read.status !== "given" || hasDatabase) return read;
  return {
    status: "invalid",
    problem:
      "CAPSTAN_REDIS_URL: Redis hands runs out to servers that share a database. " +
      "Set CAPSTAN_DATABASE_URL, too, or leave both out for one server.",
  };
}

function readUrl(text: string | undefined, protocol: RegExp, problem: string): ReadUrl {
  const url = text?.trim() ?? "";
  if (url === "") return { status: "none" };
  if (URL.canParse(url) && protocol.test(new URL(url).protocol)) return { status: "given", url };
  return { status: "invalid", problem };
}
