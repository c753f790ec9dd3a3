import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

/** The path of redis-server, or the reason to skip a test if it is not installed. */
export type FoundRedis =
  | { readonly status: "found"; readonly program: string }
  | { readonly status: "missing"; readonly reason: string };

/** A Redis server for tests, in memory. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  /** Kills it with SIGKILL, which loses its data. */
  kill(): Promise<void>;
  /** Starts it again at the same address, empty. */
  start(): Promise<void>;
  /** Deletes all its data. */
  empty(): Promise<void>;
}

/**
 * Looks for `redis-server` on `PATH`. Returns the reason for skipping a test if it is missing.
 */
export function findRedis(): FoundRedis {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const folder = folders.find((path) => path !== "" && existsSync(join(path, "redis-server")));
  return folder === undefined
    ? { status: "missing", reason: "redis-server is not installed (Debian: redis-server)" }
    : { status: "found", program: join(folder, "redis-server") };
}

/**
 * Starts a Redis server on a free port, without persistence.
 *
 * @throws Error if `redis-server` is not installed
 */
export async function startRedis(): Promise<TestRedis> {
  const found = findRedis();
  if (found.status === "missing") throw new Error(found.reason);
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = ["--bind", "127.0.0.1", "--port", String(port), "--dir", tmpdir()];
    const options = ["--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"];
    child = spawn(found.status === "found" ? found.program : "", [...settings, ...options], {
      stdio: "ignore",
    });
    for (let tries = 0; !(await listens(port)); tries++) {
      if (tries > 400) throw new Error("redis-server did not start");
      await sleep(25);
    }
  }

  async function kill(): Promise<void> {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const gone = once(dying, "exit");
    dying.kill("SIGKILL");
    await gone;
  }

  await start();
  const killAtOnce = () => void child?.kill("SIGKILL");
  process.prependOnceListener("exit", killAtOnce);
  return {
    url: `redis://127.0.0.1:${port}/0`,
    kill,
    start,
    empty: async () => {
      const client = new Redis(port, "127.0.0.1");
      await client.flushall();
      client.disconnect();
    },
    async [Symbol.asyncDispose]() {
      process.off("exit", killAtOnce);
      await kill();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
