import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A local site for tests. */
export interface WebSite {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The paths of the requests, in order. */
  readonly requests: string[];
  /** Serves a body at a path, and returns the address. */
  serve(path: string, type: string, body: string | Uint8Array, headers?: object): string;
  /** Sets the handler for a path, and returns the address. */
  answer(path: string, listener: RequestListener): string;
  close(): void;
}

/** Starts a site on a free port of this machine. It answers other paths with status 404. */
export async function startWebSite(): Promise<WebSite> {
  const routes = new Map<string, RequestListener>();
  const requests: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const route = routes.get(path);
    if (route === undefined) response.writeHead(404).end();
    else route(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer: WebSite["answer"] = (path, listener) => {
    routes.set(path, listener);
    return `http://${host}${path}`;
  };
  return {
    host,
    requests,
    answer,
    serve: (path, type, body, headers = {}) =>
      answer(path, (_request, response) =>
        response.writeHead(200, { "content-type": type, ...headers }).end(body),
      ),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
