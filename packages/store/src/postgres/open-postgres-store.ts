import type { Clock } from "@capstan/core";
import { newId, systemClock } from "@capstan/core/base";
import pg from "pg";
import type { NodeMessage } from "../records/nodes.ts";
import { ChangeNotifier } from "../live/change-notifier.ts";
import { Publisher } from "../live/live-runs.ts";
import { slowReader } from "../live/slow-reader.ts";
import { type SlowReadName, slowRead } from "../live/slow-reads.ts";
import { ownerOf, takeTurns } from "../live/take-turns.ts";
import type { Store } from "../live/store.ts";
import { createStore, type StoreParts } from "../live/create-store.ts";
import { checkAddress, type DatabaseAddress, describeDatabase } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";
import { coalesceScripts } from "./read/coalesce-reads.ts";
import { listenToNodes } from "./listener.ts";
import { migratePostgres, moveInputsOnce } from "./migrate-postgres.ts";
import type { WebhookSubscription } from "../records/webhooks.ts";
import type { S3Options } from "../s3/s3-options.ts";
import { withBucket } from "../s3/with-bucket.ts";
import { PostgresBlobs } from "./postgres-blobs.ts";
import { postgresNodes } from "./postgres-nodes.ts";
import { postgresReads } from "./read/postgres-reads.ts";
import { postgresWriter } from "./write/postgres-writer.ts";
import { connectWriter } from "./write/writer-connection.ts";

/** Options of `openPostgresStore`. */
export interface OpenPostgresStoreOptions {
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string;
  readonly clock?: Clock;
  /** Connections for reads, in addition to those of the writer and the listener. @default 8 */
  readonly connections?: number;
  /**
   * Receives lines about long operations, such as moving the long inputs of an earlier version.
   * @default no log
   */
  readonly log?: (line: string) => void;
  /** The bucket for the bytes of files, images and long inputs. @default the database */
  readonly files?: S3Options | undefined;
  /** The endpoints that get messages about changes. @default none */
  readonly webhooks?: readonly WebhookSubscription[];
}

/**
 * Opens the store in a PostgreSQL database, which other nodes can use at the same time.
 *
 * @throws CapstanError `database_unreachable`, `database_rejected`, `database_missing`,
 * `database_newer`, `database_foreign` or `store_failed`, each with advice
 */
export async function openPostgresStore(options: OpenPostgresStoreOptions): Promise<Store> {
  const { connectionString, clock = systemClock, connections = 8 } = options;
  checkAddress(connectionString);
  const self = newId("node_");
  const address: DatabaseAddress = { connectionString, applicationName: `capstan ${self}` };
  try {
    await prepareDatabase(address, clock.now(), options.log);
    const publisher = new Publisher();
    const notifier = new ChangeNotifier();
    const listeners: ((message: NodeMessage) => void)[] = [];
    const onMessage = (message: NodeMessage) => listeners.forEach((listener) => listener(message));
    // Closes everything that was opened if a later step fails.
    await using opened = new AsyncDisposableStack();
    const connection = await connectWriter(address, self);
    opened.defer(() => connection.close());
    const writer = postgresWriter({ connection, writerId: self, webhooks: options.webhooks });
    const listener = await listenToNodes({ address, self, publisher, notifier, onMessage });
    opened.defer(() => listener.close());
    const { read, snapshot, close } = postgresReads(address, connections);
    opened.defer(close);
    const { announce, leave, ...nodes } = postgresNodes(self, read);
    await nodes.heartbeat();
    const blobs = await withBucket(new PostgresBlobs(address), options.files);
    opened.move();
    const shared = coalesceScripts(snapshot);
    const reader = slowReader(import.meta.url, address);
    // Leaves a connection free for other reads.
    const inTurn = takeTurns(Math.max(1, Math.floor(connections / 2)));
    return createStore({
      writer,
      read: shared,
      snapshot: shared,
      readSlow: ((name, query) => {
        const script = () => slowRead(name, query);
        if (ofOneRun.has(name)) return shared(script);
        const read = () => (ofLongRows.has(name) ? reader.read({ name, query }) : snapshot(script));
        return inTurn(ownerOf(query), read);
      }) as StoreParts["readSlow"],
      hasReaderThread: true,
      publisher,
      changes: notifier,
      clock,
      blobs,
      nodes: { ...nodes, subscribe: (each) => void listeners.push(each) },
      announce,
      release: async () => {
        await leave();
        await listener.close();
        await reader.stop();
        await close();
      },
    });
  } catch (error) {
    const where = describeDatabase(connectionString);
    throw databaseError(`Opening the store in PostgreSQL at ${where}`, error);
  }
}

/** Reads for resuming a run; their size is bounded by the run. */
const ofOneRun: ReadonlySet<SlowReadName> = new Set([
  "readChain",
  "readMessages",
  "readManifest",
  "readVariables",
]);

/** Reads that decode long rows, on the reader's thread. */
const ofLongRows: ReadonlySet<SlowReadName> = new Set([
  "readEventPage",
  "readEventsCompact",
  "readCalls",
  "readValue",
]);

async function prepareDatabase(
  address: DatabaseAddress,
  at: number,
  log: ((line: string) => void) | undefined,
): Promise<void> {
  const client = new pg.Client(clientConfig(address));
  client.on("error", () => {});
  await client.connect();
  try {
    await migratePostgres(client, at);
    await moveInputsOnce(client, address, log);
  } finally {
    await client.end();
  }
}
