import { startEmptyServer } from "../start/empty-server.ts";
import type { Walk } from "./measure.ts";

/** A server with an empty data directory, whose offline model calls one tool. */
export async function open(): Promise<Walk> {
  const server = await startEmptyServer();
  const body = JSON.stringify({
    model: "offline",
    input: '/ListFiles {"path":"."}',
    tools: [
      {
        type: "mcp",
        server_label: "files",
        server_url: "capstan://groups/files",
        require_approval: "never",
      },
    ],
  });
  return {
    name: "POST /v1/responses, one tool call",
    work: async () => {
      const response = await fetch(`${server.url}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      const { status } = (await response.json()) as { readonly status: string };
      if (status !== "completed") throw new Error(`The response ended as ${status}.`);
    },
    close: server.close,
  };
}
