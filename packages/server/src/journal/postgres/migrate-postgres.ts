import type pg from "pg";
import {
  createVersions,
  readVersion,
  statementsFor,
  stepsAfter,
  writeVersion,
} from "../migration-steps.ts";
import { type Migration, migrations } from "../migrations.ts";
import { send } from "./statements.ts";

/** Any number, as long as every node takes the same. */
const lock = 7_215_034_881;

/**
 * Brings the database up to date in one transaction, while other nodes that start wait: a step that
 * fails changes nothing.
 *
 * @throws CapstanError `database_newer` where a later version of Capstan has written it
 */
export async function migratePostgres(
  client: pg.Client,
  at: number,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await client.query("BEGIN");
  try {
    await send(client, { text: "SELECT pg_advisory_xact_lock(?)", values: [lock] });
    await client.query(createVersions);
    const [row] = await send(client, { text: readVersion, values: [] });
    const { version: current } = row as { version: number };
    for (const { version, statements } of stepsAfter(current, steps)) {
      await client.query(statementsFor("postgres", statements).join(";\n"));
      await send(client, { text: writeVersion, values: [version, at] });
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
