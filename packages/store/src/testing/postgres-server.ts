import { execFile, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

/** PostgreSQL's programs, or the reason why they are missing, with which tests are skipped. */
export type FoundPostgres =
  | { readonly status: "found"; readonly folder: string; readonly user: User | undefined }
  | { readonly status: "missing"; readonly reason: string };

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** A PostgreSQL server for tests. */
export interface TestServer {
  /**
   * Creates an empty database (a schema of its own).
   *
   * @returns its address, for the user `capstan`, who needs no password
   */
  newDatabase(): Promise<string>;
  /** Deletes all rows of a database, and restarts its sequences. Its tables stay. */
  emptyDatabase(address: string): Promise<void>;
  /** Returns an address with a password, for the user `locked`, whose password is `right`. */
  lockedAddress(password: string): string;
  /** Kills and starts the server, as after a crash: it recovers. */
  restart(): Promise<void>;
  /** Starts the server again if it has ended by itself. */
  revive(): Promise<void>;
  /** Stops the server for good and deletes its folder. */
  stop(): void;
}

const run = promisify(execFile);

let found: FoundPostgres | undefined;
let server: Promise<TestServer> | undefined;

/** Returns PostgreSQL's programs, or the reason to skip tests that need them. */
export function findPostgres(): FoundPostgres {
  // PostgreSQL may have been installed since the last call.
  if (found?.status !== "found") found = lookFor();
  return found;
}

/**
 * Returns the server that all tests of a process share. The first caller starts it, and it ends
 * with the process.
 */
export function testServer(): Promise<TestServer> {
  server ??= startPostgres();
  return server;
}

function lookFor(): FoundPostgres {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  const folder = folders.find((path) => path !== "" && existsSync(join(path, "initdb")));
  if (folder === undefined)
    return { status: "missing", reason: "PostgreSQL's initdb is not installed" };
  if (process.getuid?.() !== 0) return { status: "found", folder, user: undefined };
  // The server refuses to run as root.
  const user = ["postgres", "nobody"].map(userOf).find((each) => each !== undefined);
  return user === undefined
    ? { status: "missing", reason: "PostgreSQL does not run as root, and there is no other user" }
    : { status: "found", folder, user };
}

function versions(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.toSorted((a, b) => Number(b) - Number(a));
}

function userOf(name: string): User | undefined {
  const line = readFileSync("/etc/passwd", "utf8").match(
    new RegExp(`^${name}:[^:]*:(\\d+):(\\d+)`, "m"),
  );
  return line === null ? undefined : { uid: Number(line[1]), gid: Number(line[2]) };
}

/**
 * Starts another server, which ends with the process, too.
 *
 * @param parent the folder for its data
 */
export async function startPostgres(parent = tmpdir()): Promise<TestServer> {
  const programs = findPostgres();
  if (programs.status === "missing") throw new Error(programs.reason);
  const { folder, user } = programs;
  const home = mkdtempSync(join(parent, "capstan-pg-"));
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const data = join(home, "data");
  const as = { ...user, cwd: home };
  // The last server that was started ends first, because its folder may be on a disk that is
  // removed, too.
  process.prependOnceListener("exit", remove);
  await run(
    join(folder, "initdb"),
    ["-D", data, "-U", "capstan", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"],
    as,
  );
  await writeFile(
    join(data, "pg_hba.conf"),
    "local all locked scram-sha-256\nlocal all all trust\n",
  );
  // Tests need no durability.
  await appendFile(
    join(data, "postgresql.conf"),
    `listen_addresses = ''\nunix_socket_directories = '${home}'\nfsync = off\nfull_page_writes = off\nmax_connections = 60\nmin_wal_size = 32MB\nmax_wal_size = 64MB\n`,
  );
  launch();

  function remove(): void {
    process.off("exit", remove);
    stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  function launch(): void {
    const child = spawn(join(folder, "postgres"), ["-D", data], { ...as, stdio: "ignore" });
    child.unref();
  }

  /** Returns once the server has ended. */
  function stop(): void {
    spawnSync(join(folder, "pg_ctl"), ["-D", data, "-m", "immediate", "-w", "stop"], as);
  }

  const address = (who: string, options = "") =>
    `postgres://${who}@localhost/postgres?host=${home}${options}`;

  /** Waits until the server accepts connections. Recovery takes many seconds on a busy machine. */
  async function ready(): Promise<void> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const client = new pg.Client({ connectionString: address("capstan") });
      // A server that is just starting may close the connection.
      client.on("error", () => {});
      try {
        await client.connect();
        await client.end();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(25);
      }
    }
  }

  // Each connection starts a process, so all queries use one. It does not keep this process running.
  const pool = new pg.Pool({
    connectionString: address("capstan"),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  // After a restart of the server, the pool connects again.
  pool.on("error", () => {});

  await ready();
  await pool.query("CREATE ROLE locked LOGIN PASSWORD 'right'");
  let databases = 0;
  return {
    newDatabase: async () => {
      const name = `test_${(databases += 1)}`;
      await pool.query(`CREATE SCHEMA ${name}`);
      return address("capstan", `&options=-c%20search_path%3D${name}`);
    },
    emptyDatabase: async (database) => {
      const name = /search_path%3D(\w+)$/.exec(database)?.[1];
      if (name === undefined) throw new Error(`newDatabase did not create ${database}.`);
      await pool.query(emptySchema(name));
    },
    lockedAddress: (password) => address(`locked:${password}`),
    restart: async () => {
      stop();
      launch();
      await ready();
    },
    revive: async () => {
      const { status } = spawnSync(join(folder, "pg_ctl"), ["-D", data, "status"], as);
      if (status !== 0) launch();
      await ready();
    },
    stop: remove,
  };
}

/** Creating the tables takes several times as long as this block. */
const emptySchema = (name: string) => `
  DO $$
  DECLARE one record;
  BEGIN
    -- No trigger runs.
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT tablename FROM pg_tables
      WHERE schemaname = '${name}' AND tablename <> 'schema_migrations'
    LOOP
      EXECUTE format('DELETE FROM ${name}.%I', one.tablename);
    END LOOP;
    PERFORM setval(format('${name}.%I', sequencename)::regclass, start_value, false)
      FROM pg_sequences WHERE schemaname = '${name}';
  END $$`;
