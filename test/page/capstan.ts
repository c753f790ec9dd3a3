import { once } from "node:events";
import { createServer } from "node:net";
import { buildWebIfStale } from "@capstan/web/build";
import { createServerFolder, startServerProcess } from "../server-process.ts";

/** `capstan serve` in a fresh folder, with the same address after each restart. */
export interface Capstan {
  readonly url: string;
  /** Its working folder, which its file tools read. */
  readonly folder: string;
  readonly data: string;
  /** The output since the last start: the banner and the log. */
  readonly output: () => string;
  /** Starts it, unless it is running. */
  readonly start: () => Promise<void>;
  /** Sends SIGTERM: runs end, or continue at the next start. */
  readonly stop: () => Promise<void>;
  /** Sends SIGKILL: no run ends. */
  readonly kill: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface CapstanOptions {
  /** Contents of files by path. */
  readonly files?: { readonly [path: string]: string };
  /** The contents of `capstan.config.json`. */
  readonly config?: object;
  readonly environment?: { readonly [name: string]: string };
}

/** Starts a server without any key. The caller closes it. */
export async function startCapstan(options: CapstanOptions = {}): Promise<Capstan> {
  await buildWebIfStale();
  const folder = await createServerFolder({
    ...options.files,
    "capstan.config.json": JSON.stringify(options.config ?? {}),
  });
  const port = await lastingPort();
  const start = () =>
    startServerProcess({
      folder,
      flags: ["--port", String(port)],
      environment: options.environment ?? {},
    });
  let server = await start();
  let isRunning = true;
  return {
    url: server.url,
    folder: folder.work,
    data: folder.data,
    output: () => server.output(),
    async start() {
      if (isRunning) return;
      server = await start();
      isRunning = true;
    },
    async stop() {
      await server.stop();
      isRunning = false;
    },
    async kill() {
      await server.kill();
      isRunning = false;
    },
    async close() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/**
 * Returns a free port below the range of automatically assigned ports, so that no other program
 * gets it while the server is down. Each test process starts its search at another port, derived
 * from its id.
 */
async function lastingPort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_768; port++)
    if (await isFree(port)) return port;
  throw new Error("No port is free.");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = once(server, "listening").then(
    () => true,
    () => false,
  );
  server.listen(port, "127.0.0.1");
  if (!(await listens)) return false;
  server.close();
  await once(server, "close");
  return true;
}
