// Calls of tools that the configuration binds to types that OpenAI runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { contentParts, type Tool, toolError, withAnnotations } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import type { OutputItem, ResponseStreamEvent } from "./responses/projection/wire.ts";
import { createTestApp, requestTo, toyTools } from "./testing/app-fixtures.ts";
import { streamOf } from "./testing/read-stream.ts";
import { asking, tool } from "./testing/run-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";

const png = "iVBORw0KGgo=";
const image = {
  type: "image",
  mimeType: "image/png",
  source: { type: "base64", data: png },
} as const;

/** One call of a bound tool: the events of its item, the item, and the response as it is read again. */
async function callOf(
  type: string,
  bound: Tool,
  args: object = {},
  include: readonly string[] = [],
) {
  const name = bound.definition.function.name;
  const steps = [{ calls: [{ name, args }] }, "Done."];
  const app = createTestApp({
    model: new ScriptedModel(steps),
    tools: [bound],
    hostedTools: { [type]: `g.${name}` },
  });
  const ask = { input: "Go", tools: [{ type }], include };
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", ask);
  assertStreamGrammar(events);
  const closing = events.at(-1);
  assert.ok(closing !== undefined && "response" in closing);
  const { id, output } = closing.response;
  const { body } = await app.call("GET", `/v1/responses/${id}`);
  assert.deepEqual(body, closing.response, "GET equals the stream");
  const [item, message] = output;
  assert.equal(message?.type, "message");
  assert.equal(output.length, 2);
  const own = events.flatMap((event) => (event.type.includes(`${type}_call`) ? [event] : []));
  const added = events.find((event) => event.type === "response.output_item.added");
  return { item, added: added && "item" in added ? added.item : undefined, own, message };
}

const stages = (own: readonly ResponseStreamEvent[]) =>
  own.map(({ type }) => type.replace(/^response\./, ""));
const plain = (item: OutputItem | undefined) => ({ ...item, id: "" });

// Contract: plugins-45, plugins-84, plugins-91
test("a silent search has an item with all stages, its query, and its sources in the message", async () => {
  const search = tool("Search", () =>
    withAnnotations("found", [{ type: "url_citation", url: "https://a.example/" }]),
  );
  const { item, added, own, message } = await callOf("web_search", search, { query: "tides" });
  assert.deepEqual(plain(added), { id: "", type: "web_search_call", status: "in_progress" });
  assert.deepEqual(stages(own), [
    "web_search_call.in_progress",
    "web_search_call.searching",
    "web_search_call.completed",
  ]);
  assert.deepEqual(plain(item), {
    id: "",
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "tides", queries: ["tides"] },
  });
  assert.match(JSON.stringify(message), /url_citation/);
});

// Clients of OpenAI's types cannot answer an approval request, so the response waits instead of
// ending.
for (const approvals of [undefined, "deferred"])
  test(`a call of a hosted type that needs an approval makes the response wait for it, with approvals ${approvals}`, async () => {
    const search = asking("Search", () => "found");
    const steps = [{ calls: [{ name: "Search", args: { query: "tides" } }] }, "Done."];
    const app = createTestApp({
      model: new ScriptedModel(steps),
      tools: [search],
      hostedTools: { web_search: "g.Search" },
    });
    const ask = { input: "Go", tools: [{ type: "web_search" }], approvals };
    const answered = app.call("POST", "/v1/responses", ask);
    type Pending = { readonly data: readonly { readonly id: string }[] };
    let id: string | undefined;
    while (id === undefined) {
      await new Promise(setImmediate);
      const { body } = await app.call("GET", "/v1/approvals?status=pending");
      id = (body as Pending).data[0]?.id;
    }
    await app.call("POST", `/v1/approvals/${id}`, { decision: "allow" });
    const { body } = await answered;
    const { status, output } = body;
    assert.equal(status, "completed");
    assert.deepEqual(
      output.map(({ type }) => type),
      ["web_search_call", "message"],
    );
  });

// Contract: plugins-45, plugins-91
test("a file search has the queries of its own events", async () => {
  const search = tool("Search", (_args, { output }) => {
    output.event("file_search.in_progress", { queries: ["one", "two"] });
    output.event("other.event", {});
    return "found";
  });
  const { item, own } = await callOf("file_search", search);
  assert.deepEqual(stages(own), [
    "file_search_call.in_progress",
    "file_search_call.searching",
    "file_search_call.completed",
  ]);
  assert.deepEqual(plain(item), {
    id: "",
    type: "file_search_call",
    status: "completed",
    queries: ["one", "two"],
    results: null,
  });
});

// Contract: plugins-44, plugins-84, plugins-91
test("partial pictures and the picture of a result are in one item", async () => {
  const draw = tool("Draw", (_args, { output }) => {
    output.event("image_generation.partial_image", { index: 0, image });
    output.event("image_generation.partial_image", { index: 1, image });
    return contentParts([image]);
  });
  const { item, added, own } = await callOf("image_generation", draw);
  assert.ok(added?.type === "image_generation_call");
  assert.equal(added.result, null);
  assert.deepEqual(stages(own), [
    "image_generation_call.in_progress",
    "image_generation_call.generating",
    "image_generation_call.partial_image",
    "image_generation_call.partial_image",
    "image_generation_call.completed",
  ]);
  assert.deepEqual(
    own.flatMap((event) => ("partial_image_b64" in event ? [event.partial_image_index] : [])),
    [0, 1],
  );
  assert.ok(item?.type === "image_generation_call");
  assert.deepEqual([item.status, item.result, item.output_format], ["completed", png, "png"]);
});

// Contract: plugins-91
test("the item of a code call has the code, from the arguments or the tool's events", async () => {
  const run = tool("Run", () => "4");
  const { item, own } = await callOf("code_interpreter", run, { code: "2 + 2" });
  assert.deepEqual(stages(own), [
    "code_interpreter_call.in_progress",
    "code_interpreter_call_code.delta",
    "code_interpreter_call_code.done",
    "code_interpreter_call.interpreting",
    "code_interpreter_call.completed",
  ]);
  assert.ok(item?.type === "code_interpreter_call");
  assert.equal(item.code, "2 + 2");
  assert.match(item.container_id, /^cntr_/);
  const writes = tool("Write", (_args, { output }) => {
    output.event("code_interpreter.code", { delta: "1 " });
    output.event("code_interpreter.code", { delta: "+ 1" });
    return "2";
  });
  const written = await callOf("code_interpreter", writes);
  assert.ok(written.item?.type === "code_interpreter_call");
  assert.equal(written.item.code, "1 + 1");
});

// Contract: plugins-99
test("files and pictures that code creates are items, and the message cites them as container files", async () => {
  const csv = {
    type: "file",
    name: "sums.csv",
    mimeType: "text/csv",
    source: { type: "base64", data: "MSwy" },
  } as const;
  const run = tool("Run", () =>
    contentParts([{ type: "text", text: "made" }, csv, { ...image, name: "plot.png" }]),
  );
  const text = "See sums.csv.";
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Run", args: { code: "x" } }] }, text]),
    tools: [run],
    hostedTools: { code_interpreter: "g.Run" },
  });
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", {
    input: "Go",
    tools: [{ type: "code_interpreter", container: { type: "auto" } }],
  });
  assertStreamGrammar(events);
  const closing = events.at(-1);
  assert.ok(closing !== undefined && "response" in closing);
  const { id, output } = closing.response;
  assert.deepEqual((await app.call("GET", `/v1/responses/${id}`)).body, closing.response);
  const [code, message] = output;
  assert.ok(code?.type === "code_interpreter_call" && message?.type === "message");
  assert.equal(output.length, 2, "the picture of code is a file of its container");
  const [part] = message.content;
  assert.ok(part?.type === "output_text");
  const cited = part.annotations as readonly { readonly file_id: string }[];
  const ids = cited.map(({ file_id: fileId }) => fileId);
  const citation = { type: "container_file_citation", container_id: code.container_id };
  assert.deepEqual(cited, [
    { ...citation, file_id: ids[0], filename: "sums.csv", start_index: 4, end_index: 12 },
    { ...citation, file_id: ids[1], filename: "plot.png", start_index: 13, end_index: 13 },
  ]);
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: (url, init) => app.fetch(new Request(String(url), init)),
  });
  const containerId = { container_id: code.container_id };
  const content = await client.containers.files.content.retrieve(ids[0] ?? "", containerId);
  assert.equal(await content.text(), "1,2");
  await assert.rejects(
    client.containers.files.content.retrieve(ids[0] ?? "", { container_id: "cntr_unknown" }),
    { status: 404 },
  );
});

// Contract: plugins-91
test("a call that fails has a failed item without a completed stage, and the turn continues", async () => {
  const search = tool("Search", () => toolError({ code: "down", message: "It is down." }));
  const { item, own } = await callOf("web_search", search);
  assert.deepEqual(stages(own), ["web_search_call.in_progress"]);
  assert.ok(item?.type === "web_search_call");
  assert.equal(item.status, "failed");
});

// Contract: plugins-91
test("a type without a bound tool is not offered, and a tool choice names a bound one", async () => {
  const model = new ScriptedModel(["Done.", { calls: [{ name: "Search" }] }, "Done."]);
  const search = tool("Search", () => "found");
  const hostedTools = { web_search: "g.Search" };
  const app = createTestApp({ model, tools: [search], hostedTools });
  await app.call("POST", "/v1/responses", { input: "Go", tools: [{ type: "file_search" }] });
  const web = { type: "web_search" };
  await app.call("POST", "/v1/responses", { input: "Go", tools: [web], tool_choice: web });
  assert.ok(!model.requests[0]?.tools.some((one) => one.function.name === "Search"));
  assert.deepEqual(model.requests[1]?.toolChoice, { type: "function", name: "Search" });
  const twice = await app.call("POST", "/v1/responses", {
    input: "Go",
    tools: [web, { type: "web_search_preview" }],
  });
  assert.equal(twice.status, 400);
  assert.match(twice.body.error?.message ?? "", /type 'web_search' twice/);
});

// Contract: plugins-91
test("code_interpreter without a bound tool is rejected, and the error says how to enable it", async () => {
  const app = createTestApp({ model: new ScriptedModel([]) });
  const tools = [{ type: "code_interpreter", container: { type: "auto" } }];
  for (const [path, body] of [
    ["/v1/responses", { input: "Go", tools }],
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Go" }], tools }],
    ["/v1/assistants", { model: "any", tools: [{ type: "code_interpreter" }] }],
  ] as const) {
    const { status, body: answer } = await app.call("POST", path, body);
    assert.equal(status, 400, path);
    assert.equal(answer.error?.param, "tools[0].type");
    assert.equal(answer.error?.code, "unsupported_parameter");
    assert.match(
      answer.error?.message ?? "",
      /"groups": \{"code": true\} in capstan\.config\.json/,
    );
    assert.match(
      answer.error?.message ?? "",
      /"hostedTools": \{"code_interpreter": "GROUP\.Tool"\}/,
    );
  }
});

const everything = [
  "web_search_call.action.sources",
  "web_search_call.results",
  "file_search_call.results",
  "code_interpreter_call.outputs",
];

// Contract: plugins-91
test("the sources and results of a web search are included on request", async () => {
  const search = tool("Search", (_args, { output }) => {
    output.event("web_search.completed", {
      sources: [{ url: "https://a.example/" }, { url: "javascript:alert(1)" }],
      results: [{ url: "https://b.example/", title: "B", text: "found" }],
    });
    return withAnnotations("found", [
      { type: "url_citation", url: "https://a.example/" },
      { type: "url_citation", url: "https://c.example/", title: "C" },
    ]);
  });
  const { item, added } = await callOf("web_search", search, { query: "x" }, everything);
  assert.ok(item?.type === "web_search_call" && added?.type === "web_search_call");
  assert.equal(added.action, undefined);
  assert.deepEqual(
    item.action?.sources?.map(({ type, url }) => [type, url]),
    ["a", "b", "c"].map((host) => ["url", `https://${host}.example/`]),
  );
  assert.deepEqual(item.results, [{ url: "https://b.example/", title: "B", text: "found" }]);
  const plain = await callOf("web_search", search, { query: "x" });
  assert.ok(plain.item?.type === "web_search_call");
  assert.ok(!("results" in plain.item) && plain.item.action?.sources === undefined);
  const cites = tool("Search", () =>
    withAnnotations("found", [{ type: "url_citation", url: "https://c.example/", title: "C" }]),
  );
  const cited = await callOf("web_search", cites, { query: "x" }, everything);
  assert.ok(cited.item?.type === "web_search_call");
  assert.deepEqual(cited.item.results, [{ url: "https://c.example/", title: "C", text: "" }]);
});

// Contract: plugins-91
test("the results of a file search are included on request, from its events or its citations", async () => {
  const search = tool("Search", (_args, { output }) => {
    output.event("file_search.completed", {
      results: [
        { file: "a.txt", fileId: "file-1", text: "tides", score: 0.5, attributes: { year: 2 } },
      ],
    });
    return "found";
  });
  const { item, added } = await callOf("file_search", search, { query: "x" }, everything);
  assert.ok(item?.type === "file_search_call" && added?.type === "file_search_call");
  assert.equal(added.results, null);
  assert.deepEqual(item.results, [
    { file_id: "file-1", filename: "a.txt", score: 0.5, text: "tides", attributes: { year: 2 } },
  ]);
  const cites = tool("Search", () =>
    withAnnotations("found", [{ type: "file_citation", fileId: "file-2", filename: "b.txt" }]),
  );
  const cited = await callOf("file_search", cites, { query: "x" }, everything);
  assert.ok(cited.item?.type === "file_search_call");
  assert.deepEqual(cited.item.results, [{ file_id: "file-2", filename: "b.txt", text: "found" }]);
});

// Contract: plugins-91
test("the output and the pictures of code are included on request, and its failure too", async () => {
  const run = tool("Run", () => contentParts([{ type: "text", text: "4" }, image]));
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Run", args: { code: "2 + 2" } }] }, "Done."]),
    tools: [run],
    hostedTools: { code_interpreter: "g.Run" },
  });
  const tools = [{ type: "code_interpreter" }];
  const { body } = await app.call("POST", "/v1/responses", {
    input: "Go",
    tools,
    include: everything,
  });
  const [item] = body.output as readonly OutputItem[];
  assert.ok(item?.type === "code_interpreter_call");
  assert.equal(item.outputs?.[0]?.type, "logs");
  assert.deepEqual(item.outputs.slice(1), [{ type: "image", url: `data:image/png;base64,${png}` }]);
  const fails = tool("Run", () => toolError({ code: "bad", message: "It broke." }));
  const failed = await callOf("code_interpreter", fails, { code: "x" }, everything);
  assert.ok(failed.item?.type === "code_interpreter_call");
  assert.match(JSON.stringify(failed.item.outputs), /^\[\{"type":"logs","logs":".*It broke\./);
  const says = await callOf(
    "code_interpreter",
    tool("Run", () => "4"),
    {},
    everything,
  );
  assert.ok(says.item?.type === "code_interpreter_call");
  assert.deepEqual(says.item.outputs, [{ type: "logs", logs: "4" }]);
});

// Contract: plugins-91
test("a client that returns a hosted call with its data adds nothing to the stored one", async () => {
  const search = tool("Search", (_args, { output }) => {
    output.event("file_search.completed", { results: [{ file: "a.txt", text: "tides" }] });
    return "found";
  });
  const model = new ScriptedModel([
    { calls: [{ name: "Search", args: { query: "x" } }] },
    "Done.",
    "Again.",
  ]);
  const app = createTestApp({
    model,
    tools: [search],
    hostedTools: { file_search: "g.Search" },
  });
  const ask = { tools: [{ type: "file_search" }], include: everything };
  const user = { role: "user", content: "Go" };
  const { body: first } = await app.call("POST", "/v1/responses", { ...ask, input: [user] });
  const input = [user, ...first.output, { role: "user", content: "And?" }];
  const second = await app.call("POST", "/v1/responses", { ...ask, input });
  assert.equal(second.status, 200);
  const read = model.requests[2]?.messages ?? [];
  assert.ok(read.filter(({ role }) => role === "tool").length <= 1);
  assert.match(JSON.stringify(read), /found|tides/);
});

// Contract: plugins-91
test("a stored response includes the data that a later reader requests", async () => {
  const search = tool("Search", (_args, { output }) => {
    output.event("web_search.completed", { sources: [{ url: "https://a.example/" }] });
    return "found";
  });
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Search", args: { query: "x" } }] }, "Done."]),
    tools: [search],
    hostedTools: { web_search: "g.Search" },
  });
  const made = await app.call("POST", "/v1/conversations", {});
  const conversation = made.body.id;
  const ask = { input: "Go", tools: [{ type: "web_search" }], conversation };
  const { body } = await app.call("POST", "/v1/responses", ask);
  const read = async (query: string) => {
    const { body: again } = await app.call("GET", `/v1/responses/${body.id}${query}`);
    return JSON.stringify(again.output);
  };
  assert.doesNotMatch(await read(""), /sources/);
  assert.match(await read("?include[]=web_search_call.action.sources"), /a\.example/);
  const stream = await app.fetch(
    requestTo("GET", `/v1/responses/${body.id}?stream=true&include=web_search_call.action.sources`),
  );
  assert.match(await stream.text(), /"sources":\[\{"type":"url","url":"https:\/\/a\.example\//);
});

test("a function of the client with the name of a server's tool goes to the client, and the server runs nothing", async () => {
  let ran = 0;
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Look", args: {} }] }]),
    tools: [tool("Look", () => String(++ran))],
  });
  const own = { type: "function", name: "Look", parameters: { type: "object", properties: {} } };
  const { body } = await app.call("POST", "/v1/responses", {
    input: "Go",
    tools: [...toyTools, own],
  });
  const { output } = body as { readonly output: readonly { readonly type: string }[] };
  assert.deepEqual(
    output.map(({ type }) => type),
    ["mcp_list_tools", "function_call"],
  );
  assert.equal(ran, 0);
});
