import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Script } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { DatabaseAddress } from "../wire/address.ts";
import { clientConfig, sessionSettings } from "../wire/connection.ts";
import { databaseError, isConnectionLost, isServerStarting } from "../wire/database-error.ts";
import { runScript, sendAll, sendAfter } from "../wire/statements.ts";

/** The reads of a PostgreSQL database, on a pool of connections. */
export interface PostgresReads {
  /** Reads with statements that each see all rows that were committed before the statement. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** Reads with statements that all see the same snapshot. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** How long a read is retried after its connection was lost, in ms. */
const lostMs = 3_000;

/**
 * How long a read is retried while the database reports that it is starting, in ms. Recovery after
 * a crash takes time.
 */
const startingMs = 30_000;

const longestPauseMs = 1_000;

const begin = bind(statement({}, { postgres: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }));

const commit = bind(statement({}, { postgres: "COMMIT" }));

/** Opens a pool of connections for reads. */
export function postgresReads(address: DatabaseAddress, connections: number): PostgresReads {
  const pool = new pg.Pool({ ...clientConfig(address), max: connections });
  // The next read replaces a lost connection; the failed read is retried.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    client.query(sessionSettings).catch(() => {});
  });

  async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        const result = await use(client);
        client.release();
        return result;
      } catch (thrown) {
        client?.release(true);
        const deadline = began + (isServerStarting(thrown) ? startingMs : lostMs);
        if (!isConnectionLost(thrown) || performance.now() > deadline)
          throw databaseError("Reading from the store", thrown);
        await sleep(pauseMs);
      }
    }
  }

  return {
    read: (script) =>
      withClient((client) => runScript(script(), (statements) => sendAll(client, statements))),
    snapshot: (script) =>
      withClient(async (client) => {
        const before = [begin];
        const result = await runScript(script(), (statements) =>
          sendAfter(client, before.splice(0), statements),
        );
        // The next read need not wait for the commit. If it fails, the connection is gone.
        if (before.length === 0) void sendAll(client, [commit]).catch(() => {});
        return result;
      }),
    close: () => pool.end(),
  };
}
