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
