// Capstan's server, whose models are those of an upstream: node bench/wire/capstan-process.ts UPSTREAM
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInGroups, createToolExecutor } from "capstan";
import { countTokens, createModelCatalog } from "@capstan/models";
import { startServer } from "@capstan/server";
import { serveUsage } from "./serve-usage.ts";

const [upstream = ""] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "capstan-wire-"));
const groups = builtInGroups({ roots: [folder] });
const server = await startServer({
  host: "127.0.0.1",
  port: 0,
  dataDir: folder,
  version: "0",
  apiKeys: [],
  models: createModelCatalog({
    environment: {
      CAPSTAN_MODEL_URL: upstream,
      CAPSTAN_MODEL: "scripted",
      OLLAMA_HOST: "127.0.0.1:9",
    },
  }),
  groups: () => groups,
  groupDefaults: {},
  toolDefaults: {},
  createExecutor: (session) => createToolExecutor({ countTokens, ...session, groups }),
  log: () => {},
});
serveUsage(`${server.url}/v1`, async () => {
  await server.close({ graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
});
