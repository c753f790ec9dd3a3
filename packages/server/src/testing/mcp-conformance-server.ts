import { createAdaptorServer } from "@hono/node-server";
import { once } from "node:events";
import type { Server } from "node:http";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "./app-fixtures.ts";
import { conformanceExtension, conformanceTools } from "./mcp-conformance.ts";

/** A server with the fixtures of MCP's conformance suite. */
export interface ConformanceServer extends AsyncDisposable {
  /** The endpoint, under the name that the suite requires. */
  readonly url: string;
}

/** Starts a server with the fixtures of MCP's conformance suite, on a free port. */
export async function startConformanceServer(): Promise<ConformanceServer> {
  const app = createTestApp({
    model: new ScriptedModel([]),
    tools: conformanceTools,
    hosts: ["127.0.0.1", "localhost"],
    mcp: { extend: conformanceExtension },
  });
  const fetch = (request: Request) => app.fetch(request);
  const server = createAdaptorServer({ fetch }) as Server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return {
    url: `http://localhost:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
