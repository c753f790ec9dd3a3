// Clients of the HTTP APIs get the sources and answers of plugin tools, and nothing of hidden ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, type ContentPart, type Tool, withAnnotations } from "@capstan/core";
import { type ScriptedStep, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import type { ResponseObject, ResponseStreamEvent } from "./responses/projection/wire.ts";
import { createTestApp, toyTools } from "./testing/app-fixtures.ts";
import { streamOf } from "./testing/read-stream.ts";
import { asking, tool } from "./testing/run-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";

const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const png = "iVBORw0KGgo=";
const picture: ContentPart = {
  type: "image",
  mimeType: "image/png",
  source: { type: "base64", data: png },
};
const pdf: ContentPart = {
  type: "file",
  name: "report.pdf",
  mimeType: "application/pdf",
  source: { type: "base64", data: "JVBERi0=" },
};
const link: ContentPart = { type: "link", url: "https://a.example/", title: "A page" };

type Setup = Omit<Parameters<typeof createTestApp>[0], "model">;

/** The same turn through both APIs, whole and streamed, and read again. */
async function everywhere(steps: readonly ScriptedStep[], setup: Setup, tools: object = toyTools) {
  const appWith = () => createTestApp({ ...setup, model: new ScriptedModel(steps) });
  const ask = { input: "Go", tools };
  const say = { messages: [{ role: "user", content: "Go" }], tools, store: true };
  const responses = appWith();
  const whole = (await responses.call("POST", "/v1/responses", ask))
    .body as never as ResponseObject;
  const again = (await responses.call("GET", `/v1/responses/${whole.id}`)).body;
  const events = await streamOf<ResponseStreamEvent>(appWith(), "/v1/responses", ask);
  assertStreamGrammar(events);
  const closing = events.at(-1);
  assert.ok(closing !== undefined && "response" in closing);
  const completions = appWith();
  const completion = (await completions.call("POST", "/v1/chat/completions", say))
    .body as never as Completion;
  const stored = (await completions.call("GET", `/v1/chat/completions/${completion.id}`)).body;
  const chunks = await streamOf<Chunk>(appWith(), "/v1/chat/completions", say);
  assert.deepEqual(again, whole, "GET equals the answer");
  assert.equal(withoutTokens(stored), withoutTokens(completion), "GET equals the answer");
  const shape = (output: readonly object[]) =>
    JSON.stringify(output.map((item) => ({ ...item, id: "" }))).replaceAll(/file-\w{25}/g, "file");
  assert.equal(shape(closing.response.output), shape(whole.output), "the stream equals it");
  const [choice] = completion.choices;
  assert.ok(choice !== undefined);
  return { output: whole.output, response: whole, events, message: choice.message, chunks };
}

/** Each link to a file has a new token. */
const withoutTokens = (body: object) => JSON.stringify(body).replaceAll(/token=[\w.-]+/g, "token");

interface Message {
  readonly content: string | null;
  readonly annotations?: readonly Cited[];
  readonly images?: readonly unknown[];
  readonly files?: readonly unknown[];
}
interface Cited {
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    readonly start_index: number;
    readonly end_index: number;
  };
}
interface Completion {
  readonly id: string;
  readonly choices: readonly { readonly message: Message }[];
}
interface Chunk {
  readonly choices: readonly { readonly delta: Message }[];
}

const textOf = (output: ResponseObject["output"]) =>
  output.flatMap((item) => (item.type === "message" ? item.content : []));

// Contract: plugins-79, plugins-89
test("a message cites the sources of the results before it, in both APIs", async () => {
  const search = tool("Search", () =>
    withAnnotations("found", [
      { type: "url_citation", url: "https://a.example/x", title: "A" },
      { type: "file_citation", fileId: "file-1", filename: "b.pdf" },
      {
        type: "container_file_citation",
        containerId: "cntr_1",
        fileId: "cfile_1",
        filename: "c.csv",
      },
    ]),
  );
  const text = "See https://a.example/x and b.pdf.";
  const { output, events, message, chunks } = await everywhere([call("Search"), text], {
    tools: [search],
  });
  const annotations = [
    { type: "url_citation", url: "https://a.example/x", title: "A", start_index: 4, end_index: 23 },
    { type: "file_citation", file_id: "file-1", filename: "b.pdf", index: 33 },
    {
      type: "container_file_citation",
      container_id: "cntr_1",
      file_id: "cfile_1",
      filename: "c.csv",
      start_index: 34,
      end_index: 34,
    },
  ];
  assert.deepEqual(textOf(output), [{ type: "output_text", annotations, logprobs: [], text }]);
  const added = events.filter(({ type }) => type === "response.output_text.annotation.added");
  assert.deepEqual(
    added.map((event) => "annotation" in event && [event.annotation_index, event.annotation]),
    annotations.map((annotation, index) => [index, annotation]),
  );
  const [url, file] = message.annotations ?? [];
  assert.deepEqual(url, {
    type: "url_citation",
    url_citation: { url: "https://a.example/x", title: "A", start_index: 4, end_index: 23 },
  });
  // The API has no citations of files, so the link to the file is cited.
  assert.match(file?.url_citation.url ?? "", /\/v1\/files\/file-1\/download\?token=/);
  const streamed = chunks.flatMap(({ choices }) => choices[0]?.delta.annotations ?? []);
  assert.deepEqual(streamed[0], url);
  assert.equal(streamed.length, 3);
});

// Contract: plugins-89
test("positions count from the beginning of a completion's whole content", async () => {
  const search = tool("Search", () =>
    withAnnotations("found", [{ type: "url_citation", url: "https://a.example/" }]),
  );
  const steps = [{ text: "First.", ...call("Search") }, "Then https://a.example/ says."];
  const { message } = await everywhere(steps, { tools: [search] });
  const [cited] = message.annotations ?? [];
  const { start_index: start, end_index: end } = cited?.url_citation ?? {};
  assert.equal(message.content?.slice(start, end), "https://a.example/");
});

// Contract: plugins-4, plugins-88
test("a final tool answers with pictures, files and links, in both APIs", async () => {
  const draw: Tool = {
    ...tool("Draw", () => contentParts([{ type: "text", text: "Here:" }, picture, link, pdf])),
    final: true,
  };
  const { output, message, chunks } = await everywhere([call("Draw")], { tools: [draw] });
  assert.deepEqual(
    output.map(({ type }) => type),
    ["mcp_list_tools", "message", "image_generation_call"],
  );
  const [part] = textOf(output);
  assert.ok(part?.type === "output_text");
  assert.equal(part.text, "Here:\n[A page](https://a.example/)\nreport.pdf");
  assert.deepEqual(
    part.annotations.map(({ type }) => type),
    ["file_path"],
  );
  const image = output.at(-1);
  assert.ok(image?.type === "image_generation_call");
  assert.equal(image.result, png);
  assert.match(message.content ?? "", /^Here:\n\[A page\]\(https:\/\/a\.example\/\)\nreport\.pdf/);
  assert.equal(message.images?.length, 1);
  assert.equal(chunks.flatMap(({ choices }) => choices[0]?.delta.images ?? []).length, 1);
});

// Contract: plugins-88
test("a final tool that only draws ends the turn with its picture, without a call or text", async () => {
  const draw: Tool = { ...tool("Draw", () => contentParts([picture])), final: true };
  const { output, message, response } = await everywhere([call("Draw")], { tools: [draw] });
  assert.equal(response.status, "completed");
  assert.deepEqual(
    output.map(({ type }) => type),
    ["mcp_list_tools", "image_generation_call"],
  );
  assert.equal(message.content, "");
  assert.equal(message.images?.length, 1);
});

// Contract: plugins-83
test("the configuration makes a tool final", async () => {
  const executor = { toolSettings: { "g.Say": { final: true } } };
  const say = tool("Say", () => "Said.");
  const { output, message } = await everywhere([call("Say")], { tools: [say], executor });
  assert.deepEqual(
    textOf(output).map((part) => part.type === "output_text" && part.text),
    ["Said."],
  );
  assert.equal(message.content, "Said.");
});

// Contract: plugins-85
test("a hidden tool is in the ledger, and in no list, output or stream of the APIs", async () => {
  const store = openMemoryStore();
  const read: Tool = {
    ...tool("ReadSecretly", (_args, { output }) => {
      output.write("working");
      output.event("web_search.searching", {});
      return contentParts([{ type: "text", text: "hidden result" }, picture]);
    }),
    hidden: true,
  };
  const other = tool("Other", () => "shown");
  const steps = [call("ReadSecretly", "Other"), "Done."];
  const { output, events, message, chunks, response } = await everywhere(steps, {
    tools: [read, other],
    store,
  });
  assert.deepEqual(
    output.map(({ type }) => type),
    ["mcp_list_tools", "mcp_call", "message"],
  );
  const seen = JSON.stringify([output, events, message, chunks]);
  assert.doesNotMatch(seen, /ReadSecretly|hidden result|web_search|image/);
  assert.match(seen, /Other/);
  const calls = (await store.readCalls({ owner: "local", runId: response.id })) ?? [];
  assert.deepEqual(
    calls.map(({ call: { name, status, hidden } }) => [name, status, hidden]),
    [
      ["ReadSecretly", "succeeded", true],
      ["Other", "succeeded", undefined],
    ],
  );
});

// Contract: plugins-85
test("an approval of a hidden call is answered on the page, and its call stays hidden", async () => {
  const store = openMemoryStore();
  const ask: Tool = { ...asking("AskSecretly", () => "ok"), hidden: true };
  const app = createTestApp({
    model: new ScriptedModel([call("AskSecretly"), "Done."]),
    tools: [ask],
    store,
  });
  const request = { input: "Go", tools: toyTools, approvals: "inline" };
  const waiting = app.call("POST", "/v1/responses", request);
  const pending = async () => (await store.listApprovals({ owner: "local", limit: 9 })).data[0];
  while ((await pending()) === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
  await app.call("POST", `/v1/approvals/${(await pending())?.id}`, { decision: "allow" });
  const { body } = await waiting;
  assert.equal(body.status, "completed");
  assert.doesNotMatch(JSON.stringify(body), /AskSecretly/);
});
