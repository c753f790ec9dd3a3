import { once } from "node:events";
import { createServer } from "node:http";

/** Pages for `FetchWebPage`, on this machine. */
export interface LocalSite {
  /** `127.0.0.1:PORT`, for `web.allowPrivateHosts`. */
  readonly host: string;
  readonly url: string;
  /** The requested paths. */
  readonly requests: readonly string[];
  /** Answers the pending and later requests for `/slow`. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

/** @param pages by path, as HTML. `/slow` is answered when the test releases it. */
export async function startLocalSite(pages: {
  readonly [path: string]: string;
}): Promise<LocalSite> {
  const requests: string[] = [];
  const released = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push(path);
    void (async () => {
      if (path.startsWith("/slow")) await released.promise;
      const page = pages[path] ?? (path.startsWith("/slow") ? "<p>At last.</p>" : undefined);
      response.writeHead(page === undefined ? 404 : 200, {
        "content-type": "text/html; charset=utf-8",
      });
      response.end(page ?? "<p>Nothing is here.</p>");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    host,
    url: `http://${host}`,
    requests,
    release: () => released.resolve(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
