import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { AddressInfo } from "node:net";
import { answerApi } from "./mock-api.ts";
import { createMockStore, type MockStore } from "./mock-store.ts";

const types: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface MockServer {
  readonly url: string;
  readonly store: MockStore;
  /** Sockets of open event streams. Tests destroy them to simulate a lost connection. */
  readonly streams: Set<ServerResponse>;
  /** The page's requests, newest last: `POST /v1/responses {…}`. */
  readonly requests: string[];
  apiKey: string | null;
  /** Whether every request fails, as if there were no server. */
  isDown: boolean;
  /** The number of aborted requests. */
  refusals: number;
  model: "offline" | "real";
  close(): Promise<void>;
}

/**
 * A server that plays scripts over the real API, to develop and test the page without a real
 * server.
 */
export async function startMockServer(root: string, port = 0): Promise<MockServer> {
  const mock: MockServer = {
    url: "",
    store: createMockStore(),
    streams: new Set(),
    requests: [],
    apiKey: null,
    isDown: false,
    refusals: 0,
    model: "offline",
    close: () => closed(server),
  };
  const server = createServer((request, response) => {
    if (mock.isDown) {
      mock.refusals += 1;
      return void request.socket.destroy();
    }
    handle(mock, root, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      const message = error instanceof Error ? error.message : String(error);
      response.end(
        JSON.stringify({ error: { message, type: "server_error", param: "", code: "internal" } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return Object.assign(mock, { url: `http://127.0.0.1:${address.port}` });
}

async function handle(
  mock: MockServer,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", mock.url);
  if (url.pathname === "/healthz" || url.pathname.startsWith("/v1/"))
    return answerApi(mock, request, response, url);
  const path = url.pathname === "/" ? "/index.html" : url.pathname;
  const file = await readFile(join(root, path)).catch(() => undefined);
  if (file === undefined) return void response.writeHead(404).end();
  response.writeHead(200, {
    "content-type": types[extname(path)] ?? "application/octet-stream",
    "content-security-policy": policy,
  });
  response.end(file);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

if (process.argv[1] === import.meta.filename) {
  const mock = await startMockServer(join(import.meta.dirname, "../dist"), 8788);
  process.stdout.write(`${mock.url}\n`);
}
