import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { withDataDir } from "@capstan/store/testing";
import { executorsOf } from "./testing/run-fixtures.ts";
import { type ServerOptions, startServer } from "./start-server.ts";

function optionsIn(dataDir: string): ServerOptions {
  const model = new ScriptedModel([]);
  const entry = { id: model.id, title: "", owner: "", reason: "" };
  return {
    host: "127.0.0.1",
    port: 0,
    dataDir,
    version: "0",
    apiKeys: [],
    models: { default: entry, list: async () => [entry], find: async () => model },
    createExecutor: executorsOf([]),
    groups: () => [],
    groupDefaults: {},
    toolDefaults: {},
    log: () => {},
  };
}

test("a start that fails after it listens leaves nothing behind", async () => {
  await withDataDir(async (dataDir) => {
    const first = await startServer(optionsIn(dataDir));
    const port = Number(new URL(first.url).port);
    await first.close({ graceMs: 0 });

    const failing: ServerOptions = {
      ...optionsIn(dataDir),
      port,
      // This option is read last.
      get retention(): never {
        throw new Error("no retention");
      },
    };
    await assert.rejects(startServer(failing), /no retention/);

    const next = await startServer({ ...optionsIn(dataDir), port });
    assert.equal((await fetch(`${next.url}/healthz`)).status, 200);
    await next.close({ graceMs: 0 });
  });
});
