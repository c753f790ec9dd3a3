import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, ToolExecutor, type ToolGroup } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { withDataDir } from "@capstan/store/testing";
import { executorsOf, tool } from "./testing/run-fixtures.ts";
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

// Contract: plugins-12, plugins-14
test("groups that cannot be registered fail the start, which names them", async () => {
  const say = tool("Say", () => "said");
  const client = defineTool({ name: "Client", description: "" });
  const starts = (...groups: readonly ToolGroup[]) =>
    startServer({
      ...optionsIn("/nonexistent/capstan"),
      createExecutor: (options) => {
        const executor = new ToolExecutor(options);
        for (const group of groups) executor.registerToolGroup(group);
        return executor;
      },
    });
  await assert.rejects(starts({ name: "g", tools: [say, say] }), /two tools named "Say"/);
  await assert.rejects(
    starts({ name: "g", title: "One", tools: [say] }, { name: "g", title: "Two", tools: [say] }),
    { code: "duplicate_tool_group", message: /by "One", and now by "Two"/ },
  );
  await assert.rejects(starts({ name: "g", tools: [{ ...client, final: true }] }), /no execute/);
  await assert.rejects(
    starts({ name: "g", tools: [{ ...say, final: true, output: "hidden" }] }),
    /final and has output/,
  );
});

test("idle connections outlive those of common load balancers", async () => {
  await withDataDir(async (dataDir) => {
    const server = await startServer(optionsIn(dataDir));
    const response = await fetch(`${server.url}/healthz`);
    assert.equal(response.headers.get("Keep-Alive"), "timeout=75");
    await response.body?.cancel();
    await server.close({ graceMs: 0 });
  });
});

test("a start that fails after it listens leaves nothing behind", async () => {
  await withDataDir(async (dataDir) => {
    const first = await startServer(optionsIn(dataDir));
    const port = Number(new URL(first.url).port);
    await first.close({ graceMs: 0 });

    const failing: ServerOptions = {
      ...optionsIn(dataDir),
      port,
      // This option is read last.
      get publicUrl(): never {
        throw new Error("no address");
      },
    };
    await assert.rejects(startServer(failing), /no address/);

    const next = await startServer({ ...optionsIn(dataDir), port });
    assert.equal((await fetch(`${next.url}/healthz`)).status, 200);
    await next.close({ graceMs: 0 });
  });
});

test("a start that fails before it listens closes the data", async () => {
  await withDataDir(async (dataDir) => {
    const fails = (): never => {
      throw new Error("no documents");
    };
    const failures: readonly Partial<ServerOptions>[] = [
      { openConnections: fails },
      { openConnections: () => Promise.reject(new Error("no documents")) },
      { onStoredDocuments: fails },
      // The app reads this option, after everything else is open.
      {
        get webRoot(): never {
          return fails();
        },
      },
    ];
    for (const failure of failures) {
      const options = Object.create(failure, Object.getOwnPropertyDescriptors(optionsIn(dataDir)));
      await assert.rejects(startServer(options as ServerOptions), /no documents/);
      const next = await startServer(optionsIn(dataDir));
      await next.close({ graceMs: 0 });
    }
  });
});
