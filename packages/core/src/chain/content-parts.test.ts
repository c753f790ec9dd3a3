import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import type { ContentPart } from "../model/content-part.ts";
import { contentParts } from "../tool/return-value.ts";
import { defineTool } from "../tool/define-tool.ts";
import { runToolChain } from "./run-tool-chain.ts";

// Contract: executor-48, loop-38, plugins-22
test("a tool's content parts go to the model as parts and as text", async () => {
  const parts: readonly ContentPart[] = [
    { type: "text", text: "A chart:" },
    { type: "image", mimeType: "image/png", source: { type: "base64", data: "AAAA" } },
    {
      type: "file",
      name: "a.csv",
      mimeType: "text/csv",
      source: { type: "url", url: "https://a.b/a.csv" },
    },
    { type: "link", url: "https://example.org", title: "Source" },
  ];
  const draw = defineTool({ ...reads, name: "Draw", execute: () => contentParts(parts) });
  const model = new ScriptedModel([{ calls: [{ name: "Draw" }] }, "Here it is."]);
  const executor = executorWith([draw]);
  const result = await runToolChain({ executor, model, contextMessages: [] }).result;
  assert.deepEqual(model.requests[1]?.messages.at(-1), {
    role: "tool",
    tool_call_id: "call_1",
    name: "Draw",
    content: "A chart:\n[image image/png]\n[file a.csv text/csv]\n[Source](https://example.org)",
    parts,
  });
  assert.deepEqual(result.state.calls[0]?.result?.parts, parts);
});
