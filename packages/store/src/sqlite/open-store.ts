import { type FileHandle, open as openFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core/base";
import { type BlobStore, MemoryBlobs } from "../blobs/blob-store.ts";
import { DiskBlobs } from "../blobs/disk-blobs.ts";
import { checkBeforeOpen } from "./check-before-open.ts";
import { lockDataDirectory } from "./data-lock.ts";
import { LiveRuns, Publisher } from "../live/live-runs.ts";
import { moveInputs } from "../schema/move-inputs.ts";
import { takeBackupBlobs } from "../blobs/backup-blobs.ts";
import { countStart } from "./log-marker.ts";
import { makeFolder } from "./make-folder.ts";
import { migrate, migrationSql, requireKnown } from "./migrate.ts";
import { fillChecksums } from "../schema/fill-checksums.ts";
import { openForReading, openForWriting } from "./open-database.ts";
import type { Durability, Store } from "../live/store.ts";
import { slowRead } from "../live/slow-reads.ts";
import { slowReader } from "../live/slow-reader.ts";
import { longBytes } from "../read/read-events.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import type { ReadParts } from "../live/create-store-reader.ts";
import type { Script } from "../sql/script.ts";

import type { S3Options } from "../s3/s3-options.ts";
import { withBucket } from "../s3/with-bucket.ts";
import type { WebhookSubscription } from "../records/webhooks.ts";
import { storeError } from "../records/store-error.ts";
import { ownerOf, takeTurns } from "../live/take-turns.ts";
import { createStore, type StoreParts } from "../live/create-store.ts";
import { startWriterThread, connectionWriter } from "./sqlite-writer.ts";

/** The folder of blobs in a data directory, next to the database. */
export const blobsFolder = "blobs";

/** Options of `openStore`. */
export interface OpenStoreOptions {
  /** The data directory; created for this user only if it is missing. */
  readonly dataDir: string;
  /** @default "full" */
  readonly durability?: Durability;
  readonly clock?: Clock;
  /** For measurements: additional ms that each commit waits, as on a slower disk. @default 0 */
  readonly syncDelayMs?: number;
  /** The bucket for the bytes of files, images and long inputs. @default the data directory */
  readonly files?: S3Options | undefined;
  /**
   * Receives lines about long operations, such as moving the long inputs of an earlier version.
   * @default no log
   */
  readonly log?: (line: string) => void;
  /** The endpoints that get messages about changes. @default none */
  readonly webhooks?: readonly WebhookSubscription[];
}

/**
 * Opens the store of a data directory, and locks the directory until the store is closed.
 *
 * @throws CapstanError `data_directory_locked`, `data_directory_unwritable`, `database_newer`,
 * `database_foreign`, `database_corrupt`, `disk_full` or `store_failed`, each with advice
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { dataDir, durability = "full", clock = systemClock, syncDelayMs = 0 } = options;
  const { log = () => {}, files, webhooks = [] } = options;
  try {
    return await open({ dataDir, durability, clock, syncDelayMs, log, files, webhooks });
  } catch (error) {
    throw storeError(`Opening the store in ${dataDir}`, error);
  }
}

/** Opens a store in memory, for runs with `store: false`, and for tests. */
export function openMemoryStore(
  options: {
    readonly clock?: Clock;
    /** The store that has the inputs of other runs, to which requests can refer. */
    readonly behind?: Pick<Store, "readBlob" | "hasBlob">;
    /** The endpoints that get messages about changes. @default none */
    readonly webhooks?: readonly WebhookSubscription[];
  } = {},
): Store {
  const clock = options.clock ?? systemClock;
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  sql.exec("PRAGMA temp_store = MEMORY");
  migrate(sql, clock.now());
  return storeOnConnection(sql, clock, new MemoryBlobs(options.behind), options.webhooks);
}

/** Returns a store on one connection, which reads and writes on the caller's thread. */
export function storeOnConnection(
  sql: SqliteConnection,
  clock: Clock,
  blobs: BlobStore = new MemoryBlobs(),
  webhooks?: readonly WebhookSubscription[],
): Store {
  const writer = connectionWriter(sql, webhooks);
  const { storedSeq, ...reads } = sqliteReads(sql);
  return createStore({
    writer,
    ...reads,
    readSlow: (name, query) => reads.snapshot(() => slowRead(name, query)),
    publisher: new Publisher(),
    live: { runs: new LiveRuns(writer.recoveredRuns), storedSeq },
    clock,
    blobs,
    announce: async () => {},
    release: async () => {},
  });
}

async function open({
  dataDir,
  durability,
  clock,
  syncDelayMs,
  log,
  files,
  webhooks,
}: Required<OpenStoreOptions>): Promise<Store> {
  await makeFolder(dataDir);
  const lock = await lockDataDirectory(dataDir, clock.now());
  // Started early, because it loads its code while this thread prepares the database.
  const thread = startWriterThread({ durability, syncDelayMs, webhooks });
  let file: FileHandle | undefined;
  try {
    const path = join(dataDir, "capstan.db");
    // Created here, so that only this user can read it even in an existing folder.
    await writeFile(path, "", { flag: "a", mode: 0o600 });
    await checkBeforeOpen(path, requireKnown);
    const setup = openForWriting(path, durability);
    const onDisk = new DiskBlobs(join(dataDir, blobsFolder));
    await onDisk.deleteUnfinished();
    const blobs = await withBucket(onDisk, files, clock);
    try {
      migrate(setup, clock.now());
      await moveInputs(migrationSql(setup), blobs, log);
      await takeBackupBlobs(setup, blobs);
      fillChecksums(setup, log);
      countStart(setup);
    } finally {
      setup.close();
    }
    file = await openFile(path, "r+");
    const writer = await thread.open({ path, file: file.fd });
    const sql = openForReading(path);
    const reader = slowReader(import.meta.url, { path });
    const readSlow = ((name, query) => reader.read({ name, query })) as StoreParts["readSlow"];
    // Several, so that the thread can start the next read as soon as one ends.
    const inTurn = takeTurns(4);
    const release = async () => {
      await reader.stop();
      sql.close();
      await file?.close();
      await lock.release();
    };
    const { storedSeq, ...reads } = sqliteReads(sql);
    return createStore({
      writer,
      ...reads,
      readSlow: (name, query) => inTurn(ownerOf(query), () => readSlow(name, query)),
      hasReaderThread: true,
      publisher: new Publisher(),
      live: { runs: new LiveRuns(writer.recoveredRuns), storedSeq },
      clock,
      blobs,
      announce: (url) => lock.announce(url),
      release,
    });
  } catch (error) {
    await thread.stop();
    await file?.close();
    await lock.release();
    throw error;
  }
}

/** SQLite knows the length of a text without reading it. */
const sizeOfRun = `SELECT octet_length(q.request) + octet_length(q.input) + COALESCE(octet_length(q.full_input), 0)
   + COALESCE(octet_length(s.result), 0) + COALESCE(octet_length(s.replay), 0) AS bytes
  FROM runs r JOIN run_requests q ON q.run_n = r.n LEFT JOIN run_results s ON s.run_n = r.n WHERE r.id = ?`;

/** Returns the reads by key, which are fast and run on the caller's thread. */
function sqliteReads(sql: SqliteConnection): Pick<ReadParts, "read" | "snapshot" | "isLongRun"> & {
  readonly storedSeq: (runId: string) => number;
} {
  const isLong = (statement: string, ...parameters: readonly (string | number)[]) => {
    try {
      return (sql.get<{ bytes: number }>(statement, ...parameters)?.bytes ?? 0) > longBytes;
    } catch {
      // The following read reports the error.
      return false;
    }
  };
  return {
    read: attempt((script) => sql.script(script())),
    snapshot: attempt((script) => sql.read(script())),
    isLongRun: (id) => isLong(sizeOfRun, id),
    storedSeq: (runId) =>
      sql.get<{ seq: number }>(
        "SELECT COALESCE(MAX(seq), 0) AS seq FROM run_journal WHERE run_n = (SELECT n FROM runs WHERE id = ?)",
        runId,
      )?.seq ?? 0,
  };
}

function attempt(run: <T>(script: () => Script<T>) => T): ReadParts["read"] {
  return async (script) => {
    try {
      return run(script);
    } catch (error) {
      throw storeError("Reading from the store", error);
    }
  };
}
