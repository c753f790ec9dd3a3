import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openStore, type Store } from "@capstan/store";
import { openPostgresStore } from "@capstan/store/postgres";
import { testServer } from "@capstan/store/testing";

/** A separate store for a measurement, in a process with a server's settings. */
export interface BenchStore {
  readonly store: Store;
  /** Processor time of the database's own processes in ms; absent if the store is in this one. */
  readonly processorMs?: () => Promise<number>;
  close(): Promise<void>;
}

/**
 * SQLite in a file. Each commit is flushed to the disk, and each sync takes `syncDelayMs` longer.
 */
export async function sqliteStore(syncDelayMs = 0): Promise<BenchStore> {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  const store = await openStore({ dataDir, syncDelayMs });
  return {
    store,
    close: async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates a database on a new PostgreSQL server with the default settings for disk and log. */
export async function postgresDatabase(): Promise<string> {
  const connectionString = await (await testServer()).newDatabase();
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("ALTER SYSTEM SET fsync = on");
  await client.query("ALTER SYSTEM SET full_page_writes = on");
  await client.query("ALTER SYSTEM SET max_wal_size = '1GB'");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
  return connectionString;
}

export async function postgresStore(): Promise<BenchStore> {
  const connectionString = await postgresDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    store,
    processorMs: async () => {
      const { rows } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity");
      const times = await Promise.all(rows.map(({ pid }) => processorMsOf(pid)));
      return times.reduce((sum, ms) => sum + ms, 0);
    },
    close: async () => {
      await client.end();
      await store.close();
    },
  };
}

/** 0 if the system does not report it. */
async function processorMsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, "utf8").catch(() => "0");
  return Number(text.split(" ")[0]) / 1e6;
}
