// A node of the proofs: a server as `capstan serve` starts it, with the tools that count.
import { parseArgs } from "node:util";
import { createToolExecutor } from "capstan";
import { createModelCatalog } from "@capstan/models";
import { startServer } from "@capstan/server";
import { countingTools } from "./counting-tools.ts";

const { values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string" }, data: { type: "string" } },
});
const groups = [countingTools("executions.txt")];
const groupDefaults = { counting: true };
const { CAPSTAN_DATABASE_URL: databaseUrl, CAPSTAN_REDIS_URL: redisUrl } = process.env;
const server = await startServer({
  host: "127.0.0.1",
  port: Number(values.port),
  dataDir: values.data ?? "data",
  ...(databaseUrl !== undefined && { databaseUrl }),
  ...(redisUrl !== undefined && { redisUrl }),
  // Fewer slots than clients, so that runs are queued and distributed.
  limits: { runsAtOnce: 2 },
  version: "0.0.0",
  apiKeys: [],
  models: createModelCatalog({ environment: process.env }),
  groups: () => groups,
  groupDefaults,
  toolDefaults: {},
  createExecutor: (session) => createToolExecutor({ ...session, groups, groupDefaults }),
});
process.stdout.write(`  address  ${server.url}\n`);
process.once("SIGTERM", () => void server.close({ graceMs: 50 }));
