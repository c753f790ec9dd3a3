import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolOutputChannel } from "./output/tool-output-channel.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import type { ImagePart } from "../model/content-part.ts";
import { contentParts } from "../tool/return-value.ts";
import { defineTool } from "../tool/define-tool.ts";
import { runToolChain } from "./run-tool-chain.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const picture = (data: string): ImagePart => ({
  type: "image",
  mimeType: "image/png",
  source: { type: "base64", data },
});
const paint = defineTool({
  ...reads,
  name: "Paint",
  execute: async (_args, { output }) => {
    output.event("image_generation.in_progress", {});
    output.event("image_generation.generating", {});
    for (const [index, data] of ["AA", "AAAA"].entries()) {
      await tick();
      output.event("image_generation.partial_image", { index, image: picture(data) });
    }
    output.event("image_generation.completed", { image: picture("AAAA") });
    return contentParts([picture("AAAA")]);
  },
});
const search = defineTool({
  ...reads,
  name: "Search",
  execute: async (_args, { output }) => {
    output.event("file_search.in_progress", { queries: ["boats"] });
    output.event("file_search.searching", {});
    await tick();
    output.event("file_search.completed", { results: [{ file: "a.txt", score: 0.5 }] });
    return "a.txt";
  },
});

// Contract: plugins-44, plugins-45
test("events of images and searches reach listeners with their call's id, and a reader call by call", async () => {
  const channel = new ToolOutputChannel();
  const calls = [{ name: "Paint" }, { name: "Search" }];
  const run = runToolChain({
    executor: executorWith([paint, search]),
    model: new ScriptedModel([{ calls }, "done"]),
    contextMessages: [],
    onEvent: (event) => channel.push(event),
  });
  const received: string[] = [];
  const data: unknown[] = [];
  for await (const event of channel.read()) {
    if (event.type !== "call.event") continue;
    received.push(`${event.callId} ${event.name}`);
    data.push(event.data);
  }
  assert.deepEqual(received, [
    "call_1 image_generation.in_progress",
    "call_1 image_generation.generating",
    "call_1 image_generation.partial_image",
    "call_1 image_generation.partial_image",
    "call_1 image_generation.completed",
    "call_2 file_search.in_progress",
    "call_2 file_search.searching",
    "call_2 file_search.completed",
  ]);
  assert.deepEqual(data[3], { index: 1, image: picture("AAAA") });
  const parts = (await run.result).state.calls[0]?.result?.parts;
  assert.deepEqual(parts, [picture("AAAA")]);
});
