import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Script } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { DatabaseAddress } from "../wire/address.ts";
import { clientConfig, sessionSettings } from "../wire/connection.ts";
import { databaseError, isConnectionLost, isServerStarting } from "../wire/database-error.ts";
import { runScript, sendAll, sendAfter } from "../wire/statements.ts";

export interface PostgresReads {
  /** Each statement sees what is committed as it begins. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** All statements see one moment. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** For how long a read is done again because its connection was lost, in ms. */
const lostMs = 3_000;

/** The same where the database says that it starts: after a crash that takes as long as it has to recover. */
const startingMs = 30_000;

const longestPauseMs = 1_000;

const begin = bind(statement({}, { postgres: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }));

const commit = bind(statement({}, { postgres: "COMMIT" }));

export function postgresReads(address: DatabaseAddress, connections: number): PostgresReads {
  const pool = new pg.Pool({ ...clientConfig(address), max: connections });
  // A connection that dies is replaced with the next read; what it was reading fails, and is read again.
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
        const giveUp = began + (isServerStarting(thrown) ? startingMs : lostMs);
        if (!isConnectionLost(thrown) || performance.now() > giveUp)
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
        // Who comes next need not wait for it, and where it fails the connection is gone.
        if (before.length === 0) void sendAll(client, [commit]).catch(() => {});
        return result;
      }),
    close: () => pool.end(),
  };
}
