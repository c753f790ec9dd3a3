import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import type { ScriptAuthoring } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";
import { connectMcp, mcpEras } from "../testing/mcp-client.ts";
import { tool } from "../testing/run-fixtures.ts";

const parameters = { type: "object", properties: { text: { type: "string" } } } as const;

const tools = [
  tool("Echo", ({ text }) => `echo ${String(text)}`),
  defineTool({
    name: "Save",
    description: "Saves a text.",
    parameters,
    permission: { executionPolicy: "auto" },
    execute: () => ({ saved: true }),
  }),
  tool("Fail", () => {
    throw new Error("it broke");
  }),
];

const createApp = () => createTestApp({ model: new ScriptedModel([]), tools });

for (const era of mcpEras) {
  test(`a ${era} client lists the tools with all annotations, and calls them`, async () => {
    const client = await connectMcp(createApp(), { era });
    const listed = await client.listTools();
    const named = new Map(listed.tools.map((each) => [each.name, each]));
    assert.deepEqual([...named.keys()].toSorted(), ["AwaitCall", "Echo", "Fail", "Save"]);
    assert.deepEqual(named.get("Echo")?.annotations, {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    assert.deepEqual(named.get("Save")?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    const result = await client.callTool({ name: "Echo", arguments: { text: "hi" } });
    assert.deepEqual(result.content, [{ type: "text", text: "echo hi" }]);
    assert.equal(result.isError, undefined);
    const failed = await client.callTool({ name: "Fail", arguments: {} });
    assert.equal(failed.isError, true);
    assert.match(JSON.stringify(failed.content), /it broke/);
    await client.close();
  });
}

for (const era of mcpEras) {
  test(`a ${era} client reads the progress of a tool`, async () => {
    const slow = tool("Slow", (_args, { output }) => {
      output.progress({ done: 1, total: 4, message: "begun" });
      return "done";
    });
    const app = createTestApp({ model: new ScriptedModel([]), tools: [slow] });
    const client = await connectMcp(app, { era });
    const seen: object[] = [];
    await client.callTool(
      { name: "Slow", arguments: {} },
      { onprogress: (progress) => void seen.push(progress) },
    );
    assert.deepEqual(seen, [{ progress: 1, total: 4, message: "begun" }]);
    await client.close();
  });

  test(`a ${era} client learns that the tools have changed`, async () => {
    const listeners = new Set<() => void>();
    const scripts = {
      subscribe(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    } as unknown as ScriptAuthoring;
    const app = createTestApp({ model: new ScriptedModel([]), tools, scripts });
    const client = await connectMcp(app, { era });
    let isNotified = false;
    client.setNotificationHandler(
      "notifications/tools/list_changed",
      () => void (isNotified = true),
    );
    if (era === "modern") await client.listen({ toolsListChanged: true });
    // The stream of a session opens after the client has connected.
    while (!isNotified) {
      for (const listener of listeners) listener();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.close();
  });
}
