import { createHash } from "node:crypto";
import pg from "pg";
import { forgottenOwner, referringRows } from "../read/retention/lineage.ts";
import { checkedTables, corruptRow, postgresDamage, rowKey } from "../schema/row-checksums.ts";
import { checkAddress, describeDatabase } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { S3Options } from "../s3/s3-options.ts";
import { withBucket } from "../s3/with-bucket.ts";
import { PostgresBlobs } from "./postgres-blobs.ts";
import { requireCurrent } from "./with-postgres-reads.ts";

/** The maximum number of listed problems of one kind. */
const maxProblems = 20;

/**
 * Compares each row of a database with its checksum, and each blob with its hash. Nodes can use the
 * database during the check.
 *
 * @param files the bucket of the nodes' files, if there is one
 * @param connectionString `postgres://user:password@host:port/database`
 * @returns the number of runs, the size of the database in bytes, and a sentence for each problem
 * @throws CapstanError `no_store`, `database_older`, `database_newer`, `database_foreign`, or the
 * database's error
 */
export async function checkPostgres(
  connectionString: string,
  files?: S3Options,
): Promise<{
  readonly runs: number;
  readonly bytes: number;
  readonly problems: readonly string[];
}> {
  const where = `PostgreSQL at ${describeDatabase(connectionString)}`;
  try {
    checkAddress(connectionString);
    const address = { connectionString, applicationName: "capstan db" };
    await requireCurrent(address, where);
    const client = new pg.Client(clientConfig(address));
    client.on("error", () => {});
    await client.connect();
    const blobs = await withBucket(new PostgresBlobs(address), files);
    try {
      const problems = [...(await corruptRows(client)), ...(await corruptBlobs(client, blobs))];
      const [found] = (
        await client.query<{ runs: number; bytes: number }>(
          `SELECT COUNT(*) AS runs, pg_database_size(current_database()) AS bytes FROM runs
           WHERE owner <> '${forgottenOwner}'`,
        )
      ).rows;
      return { runs: Number(found?.runs), bytes: Number(found?.bytes), problems };
    } finally {
      await blobs.close();
      await client.end();
    }
  } catch (error) {
    throw databaseError(`Checking the store in ${where}`, error);
  }
}

async function corruptRows(client: pg.Client): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of checkedTables) {
    const { rows } = await client.query<{ key: string }>(
      `SELECT ${rowKey(table)} AS key FROM ${table} WHERE ${postgresDamage(table)} LIMIT ${maxProblems}`,
    );
    found.push(...rows.map(({ key }) => corruptRow(table, key)));
  }
  return found;
}

async function corruptBlobs(
  client: pg.Client,
  blobs: Pick<BlobStore, "stream">,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ sha256: string; holder: string }>(referringRows);
  const wrong: string[] = [];
  for (const { sha256, holder } of rows) {
    const pieces = await blobs.stream(sha256);
    const hash = createHash("sha256");
    for await (const piece of pieces ?? []) hash.update(piece);
    if (pieces !== undefined && hash.digest("hex") === sha256) continue;
    const what = pieces === undefined ? "is missing" : "is corrupt";
    wrong.push(`${holder} ${what}: the blob ${sha256}.`);
    if (wrong.length === maxProblems) break;
  }
  return wrong;
}
