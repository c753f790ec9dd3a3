import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolContext } from "./tool-context.ts";

async function contextOf(options = {}): Promise<ToolContext> {
  let seen: ToolContext | undefined;
  const looks = defineTool({
    ...reads,
    name: "Looks",
    execute: (_args, context) => void (seen = context),
  });
  await executorWith([looks]).execute("Looks", {}, options);
  assert.ok(seen !== undefined);
  return seen;
}

// Contract: plugins-2, plugins-16, plugins-21
test("a tool gets its call, its id, its caller, files, variables, an output and a way to call tools", async () => {
  const file = { name: "a.txt", mimeType: "text/plain", read: () => new Uint8Array() };
  const context = await contextOf({
    callId: "call_1",
    caller: { principal: { id: "ann" }, request: { tenant: 7 }, files: { _all: [file] } },
  });
  assert.deepEqual(Object.keys(context).toSorted(), [
    "callId",
    "callTool",
    "denied",
    "files",
    "idempotencyKey",
    "output",
    "principal",
    "readVariable",
    "request",
    "signal",
    "tool",
    "toolId",
    "variables",
  ]);
  assert.equal(context.callId, "call_1");
  assert.equal(context.toolId, "test.Looks");
  assert.deepEqual(context.principal, { id: "ann" });
  assert.deepEqual(context.request, { tenant: 7 });
  assert.deepEqual(
    context.files.map(({ name, mimeType }) => ({ name, mimeType })),
    [{ name: "a.txt", mimeType: "text/plain" }],
  );
  assert.equal(context.signal.aborted, false);
});

// Contract: plugins-17
test("without a caller, a call belongs to the local principal and has no request data", async () => {
  const { principal, request, files } = await contextOf();
  assert.deepEqual(
    { principal, request, files },
    {
      principal: { id: "local" },
      request: {},
      files: [],
    },
  );
});
