export type ReadDatabaseUrl =
  | { readonly status: "none" }
  | { readonly status: "given"; readonly url: string }
  | { readonly status: "invalid"; readonly problem: string };

/** Reads the address of a PostgreSQL database. No message contains it: it may hold a password. */
export function readDatabaseUrl(text: string | undefined): ReadDatabaseUrl {
  const url = text?.trim() ?? "";
  if (url === "") return { status: "none" };
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol))
    return { status: "given", url };
  return {
    status: "invalid",
    problem:
      "CAPSTAN_DATABASE_URL: expected postgres://user:password@host:5432/database, " +
      "with special characters of the password escaped (`@` is %40)",
  };
}
