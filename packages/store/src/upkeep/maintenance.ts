import { createHash } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CapstanError, errorMessage, systemClock } from "@capstan/core/base";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { S3Options } from "../s3/s3-options.ts";
import { withBucket } from "../s3/with-bucket.ts";
import { DiskBlobs } from "../blobs/disk-blobs.ts";
import { addBackupBlobs } from "../blobs/backup-blobs.ts";
import { blobsFolder } from "../sqlite/open-store.ts";
import { checkBeforeOpen } from "../sqlite/check-before-open.ts";
import { countCuts, countDeltas, severalEvents, detachedDeltas } from "../encode/event-layout.ts";
import { corruptRows } from "../schema/fill-checksums.ts";
import { findLostLog, forgetCount, requireLog } from "../sqlite/log-marker.ts";
import { lockDataDirectory } from "../sqlite/data-lock.ts";
import { forgottenOwner, referringRows } from "../read/retention/lineage.ts";
import { findWalCorruption, requireIntactWal } from "../sqlite/wal-corruption.ts";
import { requireCurrent, schemaVersion } from "../sqlite/migrate.ts";
import { missingStoreError, storeError } from "../records/store-error.ts";
import { openForReading, openForWriting } from "../sqlite/open-database.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";

/** The first schema with blobs. */
const firstWithBlobs = 15;

/** The maximum number of listed problems of one kind. */
const maxProblems = 20;

/** The data directory or database of a store. */
export interface StoreLocation {
  readonly dataDir: string;
  /** The address of a PostgreSQL database, which is used instead of the file in `dataDir`. */
  readonly databaseUrl?: string;
  /** The bucket of the store's files. @default no bucket */
  readonly files?: S3Options | undefined;
}

/** The result of `checkStore`. */
export interface StoreCheck {
  readonly runs: number;
  readonly bytes: number;
  /** Sentences; empty if the store is intact. */
  readonly problems: readonly string[];
}

/**
 * Checks a store. For SQLite it reads every page of the database, its log, and the checksum of each
 * row, and checks that the events of each ended run are numbered without a gap. For PostgreSQL it
 * compares rows with their checksums and blobs with their hashes. Servers may use the database
 * meanwhile.
 *
 * @throws CapstanError `no_store`, `database_older`, `database_newer`, `database_foreign`, or the
 * store's error
 */
export async function checkStore({
  dataDir,
  databaseUrl,
  files,
}: StoreLocation): Promise<StoreCheck> {
  if (databaseUrl !== undefined) {
    const { checkPostgres } = await import("../postgres/check-postgres.ts");
    return checkPostgres(databaseUrl, files);
  }
  const path = await databaseIn(dataDir);
  const { size } = await stat(path);
  const corruptLog = (await findWalCorruption(path)) ?? (await findLostLog(path));
  if (corruptLog !== undefined) return { runs: 0, bytes: size, problems: [corruptLog] };
  const onDisk = new DiskBlobs(join(dataDir, blobsFolder));
  const blobs = await withBucket(onDisk, files);
  const nameOf = (sha256: string) =>
    files === undefined ? `the file ${onDisk.path(sha256)}` : `the blob ${sha256}`;
  return using(path, "Checking the store", async (sql) => {
    const pages = sql.all<{ integrity_check: string }>("PRAGMA integrity_check(20)");
    const damage = pages.map((row) => row.integrity_check).filter((found) => found !== "ok");
    // A corrupt database cannot answer the other checks, and its rows may not be readable.
    if (damage.length > 0)
      return { runs: 0, bytes: size, problems: [...damage, ...readableDamage(sql)] };
    requireCurrent(sql);
    const corrupt = [...corruptRows(sql).take(maxProblems)];
    const runs =
      sql.get<{ n: number }>(`SELECT COUNT(*) AS n FROM runs WHERE owner <> '${forgottenOwner}'`)
        ?.n ?? 0;
    return {
      runs,
      bytes: size,
      problems: [
        ...corrupt,
        ...unreadable(sql),
        // Events in corrupt rows cannot be counted.
        ...(corrupt.length > 0 ? [] : gaps(sql)),
        ...orphans(sql),
        ...(await corruptBlobs(sql, blobs, nameOf)),
      ],
    };
  });
}

/**
 * Writes a copy of the store, as of one moment, to a new file. A server may use the store
 * meanwhile. Only this user can read the copy, because it has all conversations.
 *
 * @throws CapstanError `no_store`, `backup_exists`, `backup_unwritable`, `database_foreign`, or the
 * store's error
 */
export async function backupStore(
  dataDir: string,
  to: string,
): Promise<{ readonly bytes: number }> {
  const path = await databaseIn(dataDir);
  await requireIntactWal(path);
  await requireLog(path);
  try {
    await writeFile(to, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST"))
      throw new CapstanError({
        code: "backup_unwritable",
        message: `Cannot write the backup ${to}: ${errorMessage(error)}. Name a file in an existing folder that this user may write to.`,
      });
    throw new CapstanError({
      code: "backup_exists",
      message: `The file ${to} exists already. Name another one, so that no backup is lost.`,
    });
  }
  try {
    await using(path, `Writing a backup to ${to}`, (sql) => {
      // A store of another version is copied unchanged; a file of another program is rejected.
      schemaVersion(sql);
      sql.run("VACUUM INTO ?", to);
    });
    const copy = new SqliteConnection(new DatabaseSync(to));
    try {
      forgetCount(copy);
      const blobs = new DiskBlobs(join(dataDir, blobsFolder));
      if (schemaVersion(copy) >= firstWithBlobs) await addBackupBlobs(copy, blobs);
    } finally {
      copy.close();
    }
  } catch (error) {
    // A failed backup must neither look like a backup nor block the next one.
    await rm(to, { force: true });
    throw error;
  }
  return { bytes: (await stat(to)).size };
}

/**
 * Rewrites the database without deleted data, so that its file shrinks. The data directory is
 * locked meanwhile.
 *
 * @throws CapstanError `no_store`, `data_directory_locked`, `database_older`, `database_newer`,
 * `database_foreign`, or the store's error
 */
export async function vacuumStore(
  dataDir: string,
): Promise<{ readonly before: number; readonly after: number }> {
  const path = await databaseIn(dataDir);
  const lock = await lockDataDirectory(dataDir, systemClock.now());
  try {
    await checkBeforeOpen(path, requireCurrent);
    const sql = openForWriting(path, "full");
    try {
      // The last commits may still be in the log next to the file.
      sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const before = (await stat(path)).size;
      sql.exec("VACUUM");
      sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return { before, after: (await stat(path)).size };
    } finally {
      sql.close();
    }
  } catch (error) {
    throw storeError("Rewriting the store", error);
  } finally {
    await lock.release();
  }
}

/**
 * Returns the path of a data directory's database.
 *
 * @throws CapstanError `no_store` if there is none
 */
export async function databaseIn(dataDir: string): Promise<string> {
  const path = join(dataDir, "capstan.db");
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return path;
  throw missingStoreError(dataDir, "--data");
}

async function using<T>(
  path: string,
  what: string,
  read: (sql: SqliteConnection) => T | Promise<T>,
): Promise<T> {
  try {
    const sql = openForReading(path);
    try {
      return await read(sql);
    } finally {
      sql.close();
    }
  } catch (error) {
    throw storeError(what, error);
  }
}

/**
 * Returns a sentence for each ended run whose events are not numbered from 1 without a gap. A row
 * has several events of a commit, or the end of an item with the deltas before it. Deltas of an
 * item without an end have a row of their own.
 */
function gaps(sql: SqliteConnection): readonly string[] {
  const rows = sql.all<{ n: number; id: string; events: number; last: number }>(
    `SELECT r.n, r.id, MAX(e.seq) AS last, SUM(
       CASE e.type WHEN '${detachedDeltas}' THEN 0
         WHEN '${severalEvents}' THEN json_array_length(e.events) ELSE 1 END +
       CASE WHEN e.cuts IS NULL OR e.cuts LIKE '%x%' THEN 0
         ELSE LENGTH(e.cuts) - LENGTH(REPLACE(REPLACE(REPLACE(e.cuts, ',', ''), ';', ''), '@', ''))
           + (e.type <> '${severalEvents}') END) AS events
     FROM runs r JOIN run_journal e ON e.run_n = r.n AND e.events IS NOT NULL
     WHERE r.ended_at IS NOT NULL AND r.owner <> '${forgottenOwner}' GROUP BY r.n HAVING events <> last`,
  );
  const wrong: string[] = [];
  for (const { n, id, events: counted, last } of rows) {
    // Deltas without lengths, of older versions, cannot be counted in SQL.
    const even = sql.all<{ type: string; cuts: string }>(
      "SELECT type, cuts FROM run_journal WHERE run_n = ? AND cuts LIKE '%x%'",
      n,
    );
    const countIn = ({ type, cuts }: (typeof even)[number]) =>
      type === severalEvents ? countDeltas(cuts) : countCuts(cuts);
    const events = even.reduce((sum, row) => sum + countIn(row), counted);
    if (events !== last)
      wrong.push(`Run ${id} has ${events} events, and the last one has the number ${last}.`);
    if (wrong.length === 20) break;
  }
  return wrong;
}

function readableDamage(sql: SqliteConnection): readonly string[] {
  try {
    requireCurrent(sql);
    return [...corruptRows(sql).take(maxProblems)];
  } catch {
    return [];
  }
}

/** Columns of JSON that lists and runs need. */
const jsonColumns = [
  { table: "run_requests", key: "run_n", columns: ["request", "input", "full_input"] },
  { table: "run_results", key: "run_n", columns: ["result", "replay"] },
  {
    table: "run_journal",
    key: "run_n || '/' || seq || '/' || nth",
    columns: ["messages", "calls"],
  },
  { table: "run_variables", key: "run_n || '/' || n", columns: ["changes"] },
  { table: "manifests", key: "session_id || '/' || digest", columns: ["entries"] },
  { table: "approvals", key: "id", columns: ["request", "answer"] },
  { table: "grants", key: "id", columns: ["data"] },
  { table: "conversations", key: "id", columns: ["metadata", "switches"] },
] as const;

/** Returns a sentence for each value that is not JSON, by table and key. */
function unreadable(sql: SqliteConnection): readonly string[] {
  return jsonColumns.flatMap(({ table, key, columns }) =>
    columns.flatMap((column) =>
      sql
        .all<{ key: string | number }>(
          `SELECT ${key} AS key FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column}) LIMIT 20`,
        )
        .map(
          (row) => `The column ${column} of row ${row.key} of ${table} is corrupt: it is not JSON.`,
        ),
    ),
  );
}

/**
 * Returns a sentence for each blob that a row refers to and that is missing, or does not match its
 * hash.
 */
async function corruptBlobs(
  sql: SqliteConnection,
  blobs: Pick<BlobStore, "stream">,
  nameOf: (sha256: string) => string,
): Promise<readonly string[]> {
  const rows = sql.all<{ sha256: string; holder: string }>(referringRows);
  const wrong: string[] = [];
  for (const { sha256, holder } of rows) {
    const pieces = await blobs.stream(sha256);
    const hash = createHash("sha256");
    for await (const piece of pieces ?? []) hash.update(piece);
    const isRight = pieces !== undefined && hash.digest("hex") === sha256;
    if (isRight) continue;
    const what = pieces === undefined ? "is missing" : "is corrupt";
    wrong.push(`${holder} ${what}: ${nameOf(sha256)}.`);
    if (wrong.length === 20) break;
  }
  return wrong;
}

function orphans(sql: SqliteConnection): readonly string[] {
  return ["run_journal", "run_requests"].flatMap((table) => {
    const row = sql.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} t LEFT JOIN runs r ON r.n = t.run_n WHERE r.n IS NULL`,
    );
    return row === undefined || row.n === 0 ? [] : [`${row.n} rows of ${table} belong to no run.`];
  });
}
