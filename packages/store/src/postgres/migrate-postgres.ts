import pg from "pg";
import {
  createVersions,
  statementsFor,
  stepsAfter,
  writeVersion,
} from "../schema/migration-steps.ts";
import { type Migration, migrations } from "../schema/migrations.ts";
import { foreignPostgres, versionIn } from "./schema-version.ts";
import { bind, statement } from "../sql/statement.ts";
import { send } from "./wire/statements.ts";

/** Any number, as long as every node takes the same. */
const lock = 7_215_034_881;

const lockMigrations = statement({}, { postgres: "SELECT pg_advisory_xact_lock(?)" });

/**
 * Brings the database up to date in one transaction, while other nodes that start wait: a step that
 * fails changes nothing.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it, or
 * `database_foreign` where another program has tables of the same names there
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
    throw current === 0 && isTaken(error) ? foreignPostgres() : error;
  }
}

/** A table, an index or a sequence of that name is there. */
function isTaken(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && thrown.code === "42P07";
}
