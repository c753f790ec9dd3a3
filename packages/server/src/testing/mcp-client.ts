import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "./app-fixtures.ts";

/** The protocol of a client: sessions, or requests without a session. */
export type McpEra = "legacy" | "modern";

/** Both protocols, for tests that run with each. */
export const mcpEras: readonly McpEra[] = ["legacy", "modern"];

/**
 * Connects the official client to a test app, without a socket.
 *
 * @param options.capabilities for example `{ elicitation: {} }`
 */
export async function connectMcp(
  app: Pick<TestApp, "fetch">,
  {
    era = "legacy",
    path = "/mcp",
    key,
    capabilities = {},
    onRequest = () => {},
  }: {
    readonly era?: McpEra;
    readonly path?: string;
    readonly key?: string;
    readonly capabilities?: ConstructorParameters<typeof Client>[1] extends infer O
      ? O extends { capabilities?: infer C }
        ? C
        : never
      : never;
    readonly onRequest?: (request: Request) => void;
  } = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: capabilities ?? {},
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1${path}`), {
    fetch: async (url, init) => {
      const request = new Request(url, init);
      onRequest(request.clone());
      return app.fetch(request);
    },
    ...(key !== undefined && { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
  });
  await client.connect(transport);
  return client;
}
