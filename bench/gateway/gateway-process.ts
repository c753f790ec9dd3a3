// Capstan's server with MCP tools: node bench/gateway/gateway-process.ts everything | thousand [unstored]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolExecutor } from "capstan";
import { openConnections } from "@capstan/connections";
import type { ToolGroup } from "@capstan/core";
import { countTokens, createModelCatalog } from "@capstan/models";
import { unconfined } from "@capstan/sandbox";
import { startServer } from "@capstan/server";
import { serveUsage } from "../wire/serve-usage.ts";
import { everything } from "./everything.ts";
import { thousandTools } from "./thousand-tools.ts";

const [kind, storage] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
const connections = openConnections({
  connections: kind === "everything" ? ["acts", "reads"].map(connectionTo) : [],
  folder: join(folder, "connections"),
  host: {
    version: "0",
    programs: { sandbox: unconfined, hidden: [], protected: [] },
    log: (line) => process.stderr.write(`${line}\n`),
  },
  watch: false,
});
await connections.check();
const groups: readonly ToolGroup[] =
  kind === "everything" ? connections.groups : [await thousandTools()];
const server = await startServer({
  host: "127.0.0.1",
  port: 0,
  dataDir: join(folder, "data"),
  version: "0",
  apiKeys: [],
  models: createModelCatalog({ environment: { OLLAMA_HOST: "127.0.0.1:9" } }),
  groups: () => groups,
  ...(storage === "unstored" && { mcp: { unstored: ["*"] } }),
  groupDefaults: {},
  toolDefaults: {},
  createExecutor: (session) =>
    createToolExecutor({
      countTokens,
      ...session,
      groups,
      rules: [{ tool: "*", execution: "auto" }],
    }),
  log: (line) => process.stderr.write(`${line}\n`),
});
serveUsage(`${server.url}/mcp`, async () => {
  await server.close({ graceMs: 0 });
  await connections.close();
  await rm(folder, { recursive: true, force: true });
});

/** A connection to the published server. The group `reads` trusts that its tools only read. */
function connectionTo(name: string) {
  return {
    type: "program",
    name,
    ...everything,
    env: {},
    read: [],
    write: [],
    network: false,
    sandbox: false,
    trustAnnotations: name === "reads",
  } as const;
}
