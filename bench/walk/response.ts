import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInGroups, createToolExecutor } from "capstan";
import { countTokens, createModelCatalog } from "@capstan/models";
import { startServer } from "@capstan/server";
import type { Walk } from "./measure.ts";

/** A server with an empty data directory, whose offline model calls one tool. */
export async function open(): Promise<Walk> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-walk-"));
  const groups = builtInGroups({ roots: [folder] });
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    dataDir: folder,
    version: "0",
    apiKeys: [],
    models: createModelCatalog({ environment: {} }),
    groups: () => groups,
    groupDefaults: {},
    toolDefaults: {},
    createExecutor: (session) => createToolExecutor({ countTokens, ...session, groups }),
    log: () => {},
  });
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
    close: async () => {
      await server.close({ graceMs: 0 });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
