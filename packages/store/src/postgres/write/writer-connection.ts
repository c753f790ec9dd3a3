import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { DatabaseAddress } from "../wire/address.ts";
import { clientConfig, sessionSettings } from "../wire/connection.ts";
import { isConnectionLost } from "../wire/database-error.ts";
import { bind, statement } from "../../sql/statement.ts";
import { send } from "../wire/statements.ts";

/** The only connection that writes; it is replaced if it is lost. */
export interface WriterConnection {
  /** Returns the connection, or waits for a new one. */
  client(): Promise<pg.Client>;
  /** Closes a failed connection. */
  drop(): void;
  /** Rolls the transaction back, or closes the connection if that fails. */
  rollback(): Promise<void>;
  /** Returns whether a batch was committed although its connection was lost before the response. */
  wasCommitted(batch: number): Promise<boolean>;
  close(): Promise<void>;
}

/** How long a database can be unavailable before writes fail, in ms. */
const outageTimeoutMs = 30_000;

const terminate = statement(
  {},
  {
    postgres:
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ? AND application_name = ?",
  },
);

const addWriter = statement(
  { writes: ["writers"] },
  { postgres: "INSERT INTO writers (id, batch) VALUES (?, 0) ON CONFLICT (id) DO NOTHING" },
);

const findBatch = statement<{ batch: number }>(
  { reads: ["writers"] },
  { postgres: "SELECT batch FROM writers WHERE id = ? FOR UPDATE" },
);

const deleteWriter = statement(
  { writes: ["writers"] },
  { postgres: "DELETE FROM writers WHERE id = ?" },
);

/**
 * Opens the writer's connection.
 *
 * Each batch first writes its number to the writer's row, which stays locked until the batch ends.
 * After a lost connection this row shows whether the batch was committed: it cannot be read before
 * the old transaction has ended.
 */
export async function connectWriter(
  address: DatabaseAddress,
  writerId: string,
): Promise<WriterConnection> {
  const closed = new AbortController();
  let current: pg.Client | undefined;
  let connecting: Promise<pg.Client> | undefined;
  let backend: number | undefined;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(address));
    client.on("error", () => {
      if (current === client) current = undefined;
    });
    await client.connect();
    await closeOnFailure(client, async () => {
      await client.query(sessionSettings);
      // The previous connection may still be open on the server. Terminate it, so that it cannot
      // commit after this check.
      if (backend === undefined) return;
      await send(client, bind(terminate, backend, address.applicationName));
    });
    backend = (client as unknown as { processID: number }).processID;
    current = client;
    return client;
  }

  async function connectInTime(): Promise<pg.Client> {
    const deadline = performance.now() + outageTimeoutMs;
    for (let wait = 50; ; wait = Math.min(wait * 2, 2_000)) {
      try {
        return await connect();
      } catch (thrown) {
        if (!isConnectionLost(thrown) || performance.now() > deadline) throw thrown;
        await sleep(wait, undefined, { signal: closed.signal });
      }
    }
  }

  async function client(): Promise<pg.Client> {
    return current ?? (connecting ??= connectInTime().finally(() => (connecting = undefined)));
  }

  function drop(): void {
    const dropped = current;
    current = undefined;
    dropped?.end().catch(() => {});
  }

  const first = await connect();
  await closeOnFailure(first, () => send(first, bind(addWriter, writerId)));

  return {
    client,
    drop,
    rollback: async () => {
      await current?.query("ROLLBACK").catch(drop);
    },
    wasCommitted: async (batch) => {
      const rows = (await send(await client(), bind(findBatch, writerId))) as readonly {
        batch: number;
      }[];
      return rows[0]?.batch === batch;
    },
    close: async () => {
      closed.abort();
      const last = current;
      current = undefined;
      if (last === undefined) return;
      await send(last, bind(deleteWriter, writerId)).catch(() => {});
      await last.end();
    },
  };
}

/** Closes a connection that no caller received, because its thread would keep the process alive. */
async function closeOnFailure(client: pg.Client, use: () => Promise<unknown>): Promise<void> {
  try {
    await use();
  } catch (thrown) {
    client.end().catch(() => {});
    throw thrown;
  }
}
