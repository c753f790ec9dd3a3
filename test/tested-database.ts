/** The environment variable with the URL of the PostgreSQL database for the servers of a test. */
export const testedDatabaseUrl = "CAPSTAN_TEST_DATABASE_URL";

const url = process.env[testedDatabaseUrl] ?? "";

/** Environment variables for a server: a SQLite database in its data directory, or PostgreSQL. */
export const testedDatabase: { readonly [name: string]: string } =
  url === "" ? {} : { CAPSTAN_DATABASE_URL: url };
