import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";
import { connectMcp, mcpEras } from "../testing/mcp-client.ts";
import { tool } from "../testing/run-fixtures.ts";

const apiKeys = [
  { name: "ann", key: "k-ann" },
  { name: "bob", key: "k-bob" },
];
const data = Buffer.from("a,b\n1,2\n").toString("base64");
const tools = [
  tool("Page", () => "x".repeat(20_000)),
  tool("Export", () =>
    contentParts([
      {
        type: "file",
        name: "table.csv",
        mimeType: "text/csv",
        source: { type: "base64", data },
      },
    ]),
  ),
];
const agents = { writer: { title: "Writer", instructions: "Write well." }, plain: {} };

const createApp = () => createTestApp({ model: new ScriptedModel([]), tools, apiKeys, agents });

for (const era of mcpEras) {
  test(`${era}: variables, files and full results are resources of their own key only`, async () => {
    const app = createApp();
    const ann = await connectMcp(app, { era, key: "k-ann" });
    const bob = await connectMcp(app, { era, key: "k-bob" });
    const page = await ann.callTool({ name: "Page", arguments: {} });
    const exported = await ann.callTool({ name: "Export", arguments: {} });
    const links = [...(page.content as object[]), ...(exported.content as object[])].flatMap(
      (each) => ("uri" in each ? [String(each.uri)] : []),
    );
    assert.equal(links.length, 2);
    const { resources } = await ann.listResources();
    const uris = [...links, "capstan://variables/Page_1"];
    assert.ok(resources.some(({ uri }) => uri === "capstan://variables/Page_1"));
    assert.ok(resources.some(({ name }) => name === "table.csv"));
    for (const uri of uris) {
      const { contents } = await ann.readResource({ uri });
      assert.ok("text" in (contents[0] ?? {}), uri);
      await assert.rejects(bob.readResource({ uri }), /no resource/);
    }
    assert.deepEqual((await bob.listResources()).resources, []);
    await ann.close();
    await bob.close();
  });

  test(`${era}: the instructions of agents are prompts`, async () => {
    const client = await connectMcp(createApp(), { era, key: "k-ann" });
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ["agent-writer"],
    );
    const { messages } = await client.getPrompt({ name: "agent-writer" });
    assert.deepEqual(messages, [{ role: "user", content: { type: "text", text: "Write well." } }]);
    await client.close();
  });
}

const page = tool("Page", () => "x".repeat(200_000));
/** Evicts all other variables. */
const fill = tool("Fill", (_args, { variables }) => {
  for (let n = 0; n < variables.capacity; n++) variables.addVariable(`v${n}`, "x", "LLMAdd");
  return "full";
});

for (const { kind, calls, variables, bytesOfOne, most } of [
  {
    kind: "contents that fit",
    calls: ["Page"],
    variables: Array.from({ length: 40 }, () => "Page_1"),
    bytesOfOne: 4_000_000,
    most: 5,
  },
  {
    kind: "evicted variables as if each was the largest",
    calls: ["Page", "Page", "Page", "Fill"],
    variables: ["Page_1", "Page_2", "Page_3"],
    bytesOfOne: 20_000_000,
    // The newest one is still in memory.
    most: 2,
  },
]) {
  test(`a batch of reads within a user's memory gets ${kind}`, async () => {
    const limits = { bytesOfOne };
    const model = new ScriptedModel([]);
    const app = createTestApp({ model, tools: [page, fill], apiKeys, limits });
    const client = await connectMcp(app, { key: "k-ann" });
    for (const name of calls) await client.callTool({ name, arguments: {} });
    const read = (name: string, id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "resources/read",
      params: { uri: `capstan://variables/${name}` },
    });
    const send = (body: object, session?: string) =>
      app.fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: {
            authorization: "Bearer k-ann",
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": "2025-03-26",
            ...(session !== undefined && { "mcp-session-id": session }),
          },
          body: JSON.stringify(body),
        }),
      );
    const opened = await send({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-03-26",
        capabilities: {},
        clientInfo: { name: "batch", version: "1" },
      },
    });
    const session = opened.headers.get("mcp-session-id") ?? undefined;
    await opened.text();
    const many = await send(
      variables.map((name, n) => read(name, n + 1)),
      session,
    );
    const text = await many.text();
    const whole = text.match(/x{200000}/g)?.length ?? 0;
    assert.ok(whole >= 1 && whole <= most, String(whole));
    assert.match(text, /your share of this server's memory/);
    // The memory is free again.
    assert.match(await (await send(read("Page_1", 99), session)).text(), /x{200000}/);
    await client.close();
  });
}
