import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { sourceCondition } from "../scripts/source-condition.ts";
import { createServerFolder, type ServerFolder } from "./server-process.ts";
import { bundled, command } from "./server-scripts.ts";

// Tests `capstan mcp` as a program that starts it.

let folder: ServerFolder;

before(async () => {
  folder = await createServerFolder();
});
after(async () => {
  await folder?.[Symbol.asyncDispose]();
});

test("a program that starts capstan mcp lists and calls tools, and no server is left when it leaves", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [sourceCondition, bundled(command), "mcp", "--data", folder.data],
    cwd: folder.work,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  for (const { name, annotations } of tools) {
    assert.match(name, /^[\w-]{1,48}$/);
    assert.equal(Object.keys(annotations ?? {}).length, 4, name);
  }
  const result = await client.callTool({ name: "ViewFile", arguments: { path: "notes.txt" } });
  assert.match(JSON.stringify(result.content), /Oil the capstan/);
  const { pid } = transport;
  await client.close();
  assert.ok(pid);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  // A link would let the program approve its own calls.
  assert.doesNotMatch(errors, /pair=/);
});
