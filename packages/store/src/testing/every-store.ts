import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { migrate } from "../sqlite/migrate.ts";
import { openForWriting } from "../sqlite/open-database.ts";
import { storeOnConnection } from "../sqlite/open-store.ts";
import { openPostgresStore } from "../postgres/open-postgres-store.ts";
import type { Store } from "../live/store.ts";
import { findPostgres, testServer } from "./postgres-server.ts";
import { settableClock, withDataDir, withMemoryStore } from "./store-fixtures.ts";

/** Calls a test with an empty store, and closes the store afterwards. */
export type WithStore = (use: Use) => Promise<void>;
type Use = (store: Store, clock: ReturnType<typeof settableClock>) => Promise<void>;

interface Kind {
  readonly name: "memory" | "file" | "PostgreSQL";
  readonly withStore: WithStore;
  readonly skip: string | false;
}

const postgres = findPostgres();

const kinds: readonly Kind[] = [
  { name: "memory", withStore: withMemoryStore, skip: false },
  { name: "file", withStore: withFile, skip: false },
  {
    name: "PostgreSQL",
    withStore: withPostgresStore,
    skip: postgres.status === "missing" && postgres.reason,
  },
];

/** Declares a test for every kind of store: SQLite in memory and in a file, and PostgreSQL. */
export function everyStore(
  name: string,
  body: (withStore: WithStore, kind: Kind["name"]) => Promise<void>,
): void {
  for (const kind of kinds) {
    test(`${name} (${kind.name})`, { skip: kind.skip }, () => body(kind.withStore, kind.name));
  }
}

/** Creates an empty PostgreSQL database, with a connection to it. */
export async function withDatabase(
  use: (client: pg.Client, connectionString: string) => Promise<void>,
): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await use(client, connectionString);
  } finally {
    await client.end();
  }
}

/** Opens two stores on one database, as two nodes do. */
export async function withTwoNodes(use: (one: Store, other: Store) => Promise<void>) {
  await withMigratedDatabase(async (connectionString) => {
    const options = { connectionString, connections: 2 };
    const one = await openPostgresStore(options);
    const other = await openPostgresStore(options);
    try {
      await use(one, other);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
}

/** Databases of earlier tests, whose tables are empty. */
const emptied: string[] = [];

/**
 * Calls a test with the address of a database without rows. It may have the tables already, because
 * creating them takes most of the time of a short test.
 */
async function withMigratedDatabase(
  use: (connectionString: string) => Promise<void>,
): Promise<void> {
  const server = await testServer();
  const connectionString = emptied.pop() ?? (await server.newDatabase());
  await use(connectionString);
  // The database of a failed test may still be in use.
  await server.emptyDatabase(connectionString);
  emptied.push(connectionString);
}

/** On the test's own thread; tests that need a server's threads start them. */
async function withFile(use: Use): Promise<void> {
  await withDataDir(async (dataDir) => {
    const clock = settableClock();
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    migrate(sql, clock.now());
    await useAndClose(storeOnConnection(sql, clock), clock, use);
  });
}

/** On the test's own thread, too. */
async function withPostgresStore(use: Use): Promise<void> {
  const clock = settableClock();
  await withMigratedDatabase(async (connectionString) =>
    useAndClose(await openPostgresStore({ connectionString, clock, connections: 2 }), clock, use),
  );
}

async function useAndClose(
  store: Store,
  clock: ReturnType<typeof settableClock>,
  use: Use,
): Promise<void> {
  try {
    await use(store, clock);
  } finally {
    await store.close();
  }
}
