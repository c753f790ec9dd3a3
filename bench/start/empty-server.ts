import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInGroups, createToolExecutor } from "capstan";
import { countTokens, createModelCatalog } from "@capstan/models";
import { startServer } from "@capstan/server";

/** A server with an empty data directory and the built-in tools. */
export interface EmptyServer {
  readonly url: string;
  /** Stops the server and deletes its data. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a server in this process.
 *
 * @param environment selects the models. @default the offline model
 */
export async function startEmptyServer(environment: NodeJS.ProcessEnv = {}): Promise<EmptyServer> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  const groups = builtInGroups({ roots: [folder] });
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    dataDir: folder,
    version: "0",
    apiKeys: [],
    models: createModelCatalog({ environment }),
    groups: () => groups,
    groupDefaults: {},
    toolDefaults: {},
    createExecutor: (session) => createToolExecutor({ countTokens, ...session, groups }),
    log: () => {},
  });
  return {
    url: server.url,
    async close() {
      await server.close({ graceMs: 0 });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
