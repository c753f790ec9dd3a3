import pg from "pg";
import {
  createVersions,
  statementsFor,
  stepsAfter,
  writeVersion,
} from "../schema/migration-steps.ts";
import type { Migration } from "../schema/migration.ts";
import { migrations } from "../schema/migrations.ts";
import { moveInputs, type MigrationSql } from "../schema/move-inputs.ts";
import { PostgresBlobs } from "./postgres-blobs.ts";
import type { DatabaseAddress } from "./wire/address.ts";
import { foreignPostgres, versionIn } from "./schema-version.ts";
import { bind, statement } from "../sql/statement.ts";
import { send } from "./wire/statements.ts";

/** An arbitrary number that every node uses. */
const lock = 7_215_034_881;

const lockMigrations = statement({}, { postgres: "SELECT pg_advisory_xact_lock(?)" });

/**
 * Migrates the database in one transaction, while other starting nodes wait. A step that fails
 * changes nothing.
 *
 * @throws CapstanError `database_newer` if a later version of Capstan has written it, or
 * `database_foreign` if another program has tables of the same names
 */
export async function migratePostgres(
  client: pg.Client,
  at: number,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  let current: number | undefined;
  await client.query("BEGIN");
  try {
    await send(client, bind(lockMigrations, lock));
    current = (await versionIn(client)) ?? 0;
    await client.query(createVersions);
    for (const { version, statements } of stepsAfter(current, steps)) {
      await client.query(statementsFor("postgres", statements).join(";\n"));
      await client.query(writeVersion.replace("?, ?", "$1, $2"), [version, at]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw current === 0 && isNameConflict(error) ? foreignPostgres() : error;
  }
}

/**
 * Moves the long inputs that migration 15 left in place. Only one node moves them; other starting
 * nodes wait.
 */
export async function moveInputsOnce(
  client: pg.Client,
  address: DatabaseAddress,
  log?: (line: string) => void,
): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM unmoved_runs LIMIT 1");
  if (rows.length === 0) return;
  const all = async <Row>(
    text: string,
    ...values: readonly (string | number | null)[]
  ): Promise<readonly Row[]> => {
    let n = 0;
    const numbered = text.replaceAll("?", () => `$${(n += 1)}`);
    return (await client.query(numbered, [...values])).rows as readonly Row[];
  };
  const transaction: MigrationSql["transaction"] = async (body) => {
    await client.query("BEGIN");
    try {
      await body();
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  };
  const blobs = new PostgresBlobs(address);
  // The lock is released with the connection.
  await client.query("SELECT pg_advisory_lock($1)", [lock + 1]);
  try {
    await moveInputs({ all, transaction }, blobs, log);
  } finally {
    await blobs.close();
  }
}

/** Returns whether an error says that a table, an index or a sequence of that name exists. */
function isNameConflict(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && thrown.code === "42P07";
}
