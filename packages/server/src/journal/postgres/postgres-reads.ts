import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Script, Statement } from "../script.ts";
import { clientConfig, type DatabaseAddress } from "./connection.ts";
import { databaseError, isLost } from "./database-error.ts";
import { sessionSettings } from "./session-settings.ts";
import { runScript } from "./run-script.ts";
import { sendAll, sendBehind } from "./statements.ts";

export interface PostgresReads {
  /** Each statement sees what is committed as it begins. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** All statements see one moment. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** How often a read is done again because its connection was lost. */
const mostTries = 6;

const begin: Statement = {
  text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  values: [],
};

const commit: Statement = { text: "COMMIT", values: [] };

export function postgresReads(address: DatabaseAddress, connections: number): PostgresReads {
  const pool = new pg.Pool({ ...clientConfig(address), max: connections });
  // A connection that dies is replaced with the next read; what it was reading fails, and is read again.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    client.query(sessionSettings).catch(() => {});
  });

  async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        const result = await use(client);
        client.release();
        return result;
      } catch (thrown) {
        client?.release(true);
        if (!isLost(thrown) || tries >= mostTries)
          throw databaseError("Reading from the store", thrown);
        await sleep(50 * 2 ** tries);
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
          sendBehind(client, before.splice(0), statements),
        );
        // Who comes next need not wait for it, and where it fails the connection is gone.
        if (before.length === 0) void sendAll(client, [commit]).catch(() => {});
        return result;
      }),
    close: () => pool.end(),
  };
}
