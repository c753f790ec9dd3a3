import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { defineTool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { createTestApp } from "../../testing/app-fixtures.ts";
import { connectMcp } from "../../testing/mcp-client.ts";
import { asking } from "../../testing/run-fixtures.ts";

const parameters = { type: "object", properties: { text: { type: "string" } } } as const;

/** A server whose calls over MCP are not stored. */
function createUnstored() {
  const sent: string[] = [];
  const send = defineTool({
    name: "Send",
    description: "",
    parameters,
    permission: { executionPolicy: "auto" },
    execute: ({ text }) => {
      sent.push(String(text));
      return `sent ${String(text)}`;
    },
  });
  const long = defineTool({
    name: "Long",
    description: "",
    parameters: { type: "object", properties: {} },
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: () => "word ".repeat(20_000),
  });
  const store = openMemoryStore();
  const tools = [send, long, asking("Ask", () => "asked")];
  const mcp = { unstored: ["*"], waitMs: 5_000 };
  const app = createTestApp({ model: new ScriptedModel([]), tools, store, mcp });
  return { app, store, sent };
}

function textOf({ content }: { readonly content?: unknown }): string {
  return (content as { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
}

test("a call of a key whose calls are not stored returns its result, and leaves nothing in the store", async () => {
  const { app, store, sent } = createUnstored();
  const client = await connectMcp(app, { era: "legacy" });
  for (const text of ["a", "a"])
    assert.equal(
      textOf(await client.callTool({ name: "Send", arguments: { text } })),
      `sent ${text}`,
    );
  assert.deepEqual(sent, ["a", "a"]);
  assert.deepEqual((await store.searchRuns({ owner })).data, []);
  assert.equal(await store.getRequestKey({ owner, id: "mcp_conversation" }), undefined);
  await client.close();
});

test("a later call of such a key uses the result of an earlier one by reference", async () => {
  const { app, store, sent } = createUnstored();
  const client = await connectMcp(app, { era: "legacy" });
  const shown = textOf(await client.callTool({ name: "Long", arguments: {} }));
  const name = /\b(Result_\d+|Long_\w*\d+)\b/.exec(shown)?.[1];
  assert.ok(name, shown.slice(-500));
  const { resources } = await client.listResources();
  assert.ok(resources.some((each) => each.name === name));
  const reference = `$VAR_REF{{${name}}}`;
  await client.callTool({ name: "Send", arguments: { text: reference } });
  assert.equal(sent[0]?.length, "word ".length * 20_000);
  assert.deepEqual((await store.searchRuns({ owner })).data, []);
  await client.close();
});

test("a call that is not stored waits for its approval", async () => {
  const { app, store } = createUnstored();
  const client = await connectMcp(app, { era: "legacy" });
  const called = client.callTool({ name: "Ask", arguments: {} });
  for (let ids: readonly string[] = []; ids.length === 0;) {
    const { body } = await app.call("GET", "/v1/approvals?status=pending");
    ids = body.data.map(({ id }) => id);
    await nextTurn();
    for (const id of ids) await app.call("POST", `/v1/approvals/${id}`, { decision: "allow" });
  }
  assert.equal(textOf(await called), "asked");
  assert.deepEqual((await store.searchRuns({ owner })).data, []);
  await client.close();
});
