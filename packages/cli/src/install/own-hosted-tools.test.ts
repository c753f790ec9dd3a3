import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, withNeed } from "@capstan/core";
import { ownAttachmentTools, ownHostedTools } from "./own-hosted-tools.ts";

const python = [defineTool({ name: "Python", description: "", execute: () => "" })];
const code = { name: "code", tools: python };

test("a hosted type is bound to a built-in tool that is available and whose group is on", () => {
  const on = { groups: { code: true } };
  assert.deepEqual(ownHostedTools([code], on), { code_interpreter: "code.Python" });
  assert.deepEqual(ownHostedTools([code], { groups: {} }), {});
  assert.deepEqual(ownHostedTools([code], { groups: { code: false } }), {});
  assert.deepEqual(ownHostedTools([], on), {});
  const without = { ...code, tools: withNeed({ needs: "Python 3" }, python) };
  assert.deepEqual(ownHostedTools([without], on), {});
});

test("documents that a model does not take get the built-in tools that read them, if their group is on", () => {
  const tools = ["ReadDocuments", "SearchDocuments"].map((name) =>
    defineTool({ name, description: "", execute: () => "" }),
  );
  const retrieval = { name: "retrieval", tools };
  const document = ["retrieval.ReadDocuments", "retrieval.SearchDocuments"];
  assert.deepEqual(ownAttachmentTools([retrieval], { groups: {} }), { document });
  const off = { groups: { retrieval: false } };
  assert.deepEqual(ownAttachmentTools([retrieval], off), {});
});

test("files that a model does not take have a built-in tool if it is available", () => {
  const hear = [defineTool({ name: "TranscribeAudio", description: "", execute: () => "" })];
  const media = { name: "media", tools: hear };
  assert.deepEqual(ownAttachmentTools([media], { groups: {} }), {
    audio: ["media.TranscribeAudio"],
  });
  assert.deepEqual(ownAttachmentTools([media], { groups: { media: false } }), {});
  const without = { ...media, tools: withNeed({ needs: "a service" }, hear) };
  assert.deepEqual(ownAttachmentTools([without], { groups: {} }), {});
});
