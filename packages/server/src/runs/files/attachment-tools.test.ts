import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, type Model, type ModelRequest, type ToolContext } from "@capstan/core";
import { type ScriptedStep, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { createTestApp, toyTools } from "../../testing/app-fixtures.ts";
import { streamOf } from "../../testing/read-stream.ts";
import { tool } from "../../testing/run-fixtures.ts";

/** A model that takes pictures only. */
class PictureModel extends ScriptedModel {
  readsFile = (mimeType: string): boolean => mimeType.startsWith("image/");
}

const call = (name: string) => ({ calls: [{ name }] });
const attachmentTools = { document: ["g.ReadDocument"], audio: ["g.Transcribe"] };
const reads = (name: string) =>
  tool(name, async (_args, { files, signal }: ToolContext) => {
    const texts = files.map(async (file) => Buffer.from(await file.read(signal)).toString());
    return `${name} secret words: ${(await Promise.all(texts)).join(", ")}`;
  });
const tools = [reads("ReadDocument"), reads("Transcribe"), tool("Other", () => "other")];
const data = (text: string) => Buffer.from(text).toString("base64");
const pdf = {
  type: "input_file",
  filename: "plan.pdf",
  file_data: `data:application/pdf;base64,${data("the plan")}`,
};
const withFile = [{ role: "user", content: [{ type: "input_text", text: "Read it" }, pdf] }];
const offered = ({ tools: given }: ModelRequest) =>
  given.map(({ function: { name } }) => name).filter((name) => /^[A-Z]/.test(name));
const names = (model: ScriptedModel) =>
  model.requests.map((request) => offered(request).filter((name) => name !== "ReadVar"));

const appWith = (steps: readonly ScriptedStep[], more: object = {}) => {
  const model = new PictureModel(steps);
  const store = openMemoryStore();
  return { model, store, app: createTestApp({ model, tools, store, attachmentTools, ...more }) };
};

// Contract: plugins-90
test("a document that the model does not take makes a hidden tool available, in both APIs", async () => {
  const steps = [call("ReadDocument"), "It is read."];
  const { model, store, app } = appWith(steps);
  const { body } = await app.call("POST", "/v1/responses", { input: withFile });
  assert.deepEqual(names(model), [["ReadDocument"], ["ReadDocument"]]);
  const prompt = JSON.stringify(model.requests[0]?.messages[0]);
  assert.match(prompt, /files that you do not see directly.*ReadDocument.*plan\.pdf/);
  assert.match(JSON.stringify(model.requests[1]?.messages), /secret words: the plan/);

  const calls = (await store.readCalls({ owner: "local", runId: body.id })) ?? [];
  assert.deepEqual(
    calls.map(({ call: { name, status, hidden } }) => [name, status, hidden]),
    [["ReadDocument", "succeeded", true]],
  );
  const again = await app.call("GET", `/v1/responses/${body.id}`);
  const events = await streamOf(appWith(steps).app, "/v1/responses", { input: withFile });
  const content = [
    { type: "text", text: "Read it" },
    { type: "file", file: { filename: "plan.pdf", file_data: data("the plan") } },
  ];
  const said = { messages: [{ role: "user", content }] };
  const completion = appWith(steps);
  const { body: answer } = await completion.app.call("POST", "/v1/chat/completions", said);
  assert.deepEqual(names(completion.model), [["ReadDocument"], ["ReadDocument"]]);
  const chunks = await streamOf(appWith(steps).app, "/v1/chat/completions", said);
  for (const seen of [body, again.body, events, answer, chunks])
    assert.doesNotMatch(JSON.stringify(seen), /ReadDocument|secret words/);
});

// Contract: plugins-90
test("a hidden tool is offered only for the conversation's own files, by kind", async () => {
  const { model, app } = appWith(["One.", "Two.", "Three.", "Four."]);
  await app.call("POST", "/v1/responses", { input: "Without a file" });
  const image = { type: "input_image", image_url: `data:image/png;base64,${data("png")}` };
  await app.call("POST", "/v1/responses", { input: [{ role: "user", content: [image] }] });
  const first = await app.call("POST", "/v1/responses", { input: withFile });
  await app.call("POST", "/v1/responses", {
    input: "And now?",
    previous_response_id: first.body.id,
  });
  assert.deepEqual(names(model), [[], [], ["ReadDocument"], ["ReadDocument"]]);
  const audio = { type: "input_audio", input_audio: { data: data("wav"), format: "wav" } };
  const spoken = appWith(["Done."]);
  await spoken.app.call("POST", "/v1/chat/completions", {
    messages: [{ role: "user", content: [audio] }],
  });
  assert.deepEqual(names(spoken.model), [["Transcribe"]]);
});

// Contract: plugins-90
test("a model that takes the document gets no tool for it", async () => {
  const model: Model & { readonly requests: readonly ModelRequest[] } = new ScriptedModel([
    "Done.",
  ]);
  const app = createTestApp({ model, tools, attachmentTools });
  await app.call("POST", "/v1/responses", { input: withFile });
  assert.deepEqual(model.requests.map(offered), [[]]);
});

// Contract: plugins-90
test("a tool that the request itself offers is not hidden", async () => {
  const { model, app } = appWith([call("ReadDocument"), "Done."]);
  const { body } = await app.call("POST", "/v1/responses", { input: withFile, tools: toyTools });
  assert.deepEqual(names(model)[0], ["ReadDocument", "Transcribe", "Other"]);
  assert.match(JSON.stringify(body.output), /ReadDocument/);
});

// Contract: plugins-90
test("a document that a tool returns makes its tool available in the next round", async () => {
  const report = tool("Report", () =>
    contentParts([
      {
        type: "file",
        name: "r.pdf",
        mimeType: "application/pdf",
        source: { type: "base64", data: data("the report") },
      },
    ]),
  );
  const entry = { ...toyTools[0], allowed_tools: ["Report"] };
  const { model, app } = appWith([call("Report"), call("ReadDocument"), "Done."], {
    tools: [...tools, report],
  });
  await app.call("POST", "/v1/responses", { input: "Go", tools: [entry] });
  assert.deepEqual(names(model), [
    ["Report"],
    ["ReadDocument", "Report"],
    ["ReadDocument", "Report"],
  ]);
  assert.match(JSON.stringify(model.requests[2]?.messages), /secret words: the report/);
});

test("a hidden tool knows that it may read only the files of the conversation", async () => {
  const seen: unknown[] = [];
  const shows = tool("ReadDocument", (_args, context: ToolContext) => {
    seen.push(context.tool);
    return "read";
  });
  const { app } = appWith([call("ReadDocument"), "Read.", call("ReadDocument"), "Read."], {
    tools: [shows],
  });
  await app.call("POST", "/v1/responses", { input: withFile });
  await app.call("POST", "/v1/responses", { input: withFile, tools: toyTools });
  const [hidden, offeredOne] = seen as readonly { readonly type: string }[];
  assert.equal(hidden?.type, "attachments");
  assert.notEqual(offeredOne?.type, "attachments");
});
