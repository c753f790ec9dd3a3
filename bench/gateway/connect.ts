import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { everything } from "./everything.ts";

/** A client of the official SDK that is connected to a server. */
export interface Connected {
  readonly client: Client;
}

/** Connects to an address of streamable HTTP. */
export async function connectHttp(url: string): Promise<Connected> {
  return connect(new StreamableHTTPClientTransport(new URL(url)));
}

/** Starts the published server, and connects to it directly. */
export async function connectProgram(): Promise<Connected> {
  const { command, args } = everything;
  return connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" }));
}

async function connect(transport: Parameters<Client["connect"]>[0]): Promise<Connected> {
  const options = { versionNegotiation: { mode: "legacy" } } as const;
  const client = new Client({ name: "bench", version: "1" }, options);
  await client.connect(transport);
  return { client };
}
