import { once } from "node:events";
import { createServer } from "node:net";
import { buildWebIfStale } from "../../scripts/build-web.ts";
import { createServerFolder, startServerProcess } from "../server-process.ts";

/** `capstan serve` in a fresh folder, at an address that it keeps when it is started again. */
export interface Capstan {
  readonly url: string;
  /** The folder it runs in, and that its file tools read. */
  readonly folder: string;
  readonly data: string;
  /** Its banner and its log, since the last start. */
  readonly output: () => string;
  readonly start: () => Promise<void>;
  /** SIGTERM: what runs is finished or kept. */
  readonly stop: () => Promise<void>;
  /** SIGKILL: nothing is finished. */
  readonly kill: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface CapstanOptions {
  /** By path, what lies in the folder. */
  readonly files?: { readonly [path: string]: string };
  /** What `capstan.config.json` says. */
  readonly config?: object;
  readonly environment?: { readonly [name: string]: string };
}

/** Starts a server without any key; close it in the end. */
export async function startCapstan(options: CapstanOptions = {}): Promise<Capstan> {
  await buildWebIfStale();
  const folder = await createServerFolder({
    ...options.files,
    "capstan.config.json": JSON.stringify(options.config ?? {}),
  });
  const port = await freePort();
  const start = () =>
    startServerProcess({
      folder,
      flags: ["--port", String(port)],
      environment: options.environment ?? {},
    });
  let server = await start();
  return {
    url: server.url,
    folder: folder.work,
    data: folder.data,
    output: () => server.output(),
    start: async () => void (server = await start()),
    stop: async () => void (await server.stop()),
    kill: () => server.kill(),
    async close() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
