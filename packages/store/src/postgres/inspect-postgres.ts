import pg from "pg";
import { type Fault, type Inspection, inspectionOf } from "../records/inspection.ts";
import { migrations } from "../schema/migrations.ts";
import { checkAddress, describeDatabase } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";
import { versionIn } from "./schema-version.ts";

/** The oldest release that the project's tests run on. */
const oldest = 15;

interface Facts {
  readonly version: string;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
  /** The schema for the tables; null if the address names one that does not exist. */
  readonly schema: string | null;
  readonly mayCreate: boolean | null;
}

const facts = `SELECT current_setting('server_version') AS "version", pg_is_in_recovery() AS "isStandby",
  current_setting('fsync') AS "fsync", current_setting('synchronous_commit') AS "synchronousCommit",
  current_schema() AS "schema", has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`;

/**
 * Checks whether nodes can use this database, without changing it.
 *
 * @param connectionString `postgres://user:password@host:port/database`; the result never contains
 * the password
 * @returns within seconds, even if the database cannot be reached
 * @example
 * await inspectPostgres("postgres://capstan@db/capstan"); // { status: "ok", detail: "PostgreSQL 16.4 at db/capstan, schema 9" }
 */
export async function inspectPostgres(connectionString: string): Promise<Inspection> {
  const where = describeDatabase(connectionString);
  try {
    checkAddress(connectionString);
    const address = { connectionString, applicationName: "capstan doctor" };
    const client = new pg.Client({ ...clientConfig(address), query_timeout: 5_000 });
    client.on("error", () => {});
    await client.connect();
    try {
      const [found] = (await client.query<Facts>(facts)).rows;
      if (found === undefined) throw new Error("It did not answer");
      return inspectionFor(where, found, await versionIn(client));
    } finally {
      await client.end();
    }
  } catch (error) {
    const { message } = databaseError(`Asking PostgreSQL at ${where}`, error);
    return { status: "wrong", detail: message };
  }
}

function inspectionFor(where: string, found: Facts, version: number | undefined): Inspection {
  const newest = migrations.at(-1)?.version ?? 0;
  return inspectionOf(`PostgreSQL ${found.version} at ${where}, ${schemaText(version, newest)}`, [
    ...serverFaults(found),
    ...schemaFaults(found, version, newest),
  ]);
}

function schemaText(version: number | undefined, newest: number): string {
  if (version === undefined) return "no tables yet: the first start creates them";
  if (version === newest) return `schema ${version}`;
  return version < newest
    ? `schema ${version}: the next start brings it to ${newest}`
    : `schema ${version}, and this version of Capstan knows up to ${newest}`;
}

function serverFaults({ version, isStandby, fsync, synchronousCommit }: Facts): Fault[] {
  const faults: Fault[] = [];
  if (Number.parseInt(version, 10) < oldest)
    faults.push({
      problem: `Capstan needs PostgreSQL ${oldest} or later.`,
      fix: "Update PostgreSQL.",
    });
  if (isStandby)
    faults.push({
      problem: "It is a standby, which accepts no writes.",
      fix: "Name the primary in CAPSTAN_DATABASE_URL.",
    });
  const off = [
    ...(fsync === "off" ? ["fsync"] : []),
    ...(synchronousCommit === "off" ? ["synchronous_commit"] : []),
  ];
  for (const setting of off)
    faults.push({
      problem: `${setting} is off: a crash may lose confirmed writes.`,
      fix: `ALTER SYSTEM SET ${setting} = on; SELECT pg_reload_conf();`,
    });
  return faults;
}

function schemaFaults(
  { schema, mayCreate }: Facts,
  version: number | undefined,
  newest: number,
): Fault[] {
  if (version !== undefined && version > newest)
    return [
      {
        problem: "A newer version of Capstan has written it.",
        fix: "Start the newer version, or use another database.",
      },
    ];
  if (schema === null)
    return [
      {
        problem: "The schema of its search_path does not exist.",
        fix: "CREATE SCHEMA, with the name that the address gives, or leave search_path out.",
      },
    ];
  if (mayCreate === true || version === newest) return [];
  return [
    {
      problem: `The user may not create tables in the schema ${schema}.`,
      fix: `GRANT CREATE ON SCHEMA ${schema} TO the user of CAPSTAN_DATABASE_URL;`,
    },
  ];
}
