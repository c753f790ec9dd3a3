import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolContext } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { createTestApp, requestTo, type TestApp, toyTools } from "../../testing/app-fixtures.ts";
import { asking, tool } from "../../testing/run-fixtures.ts";

/** A tool that returns a part of its context as its data. */
const shows = (seen: unknown[], select: (context: ToolContext) => unknown, name = "Show") =>
  tool(name, async (_args, context) => {
    const value = await select(context);
    seen.push(value);
    return "shown";
  });

const call = (name = "Show") => ({ calls: [{ name }] });
const keys = [
  { name: "ann", key: "ann-key-ann-key", rights: ["ask", "approve"] as const },
  { name: "bob", key: "bob-key-bob-key" },
];

/** Sends a request with headers, and returns the answer. */
async function send(
  app: TestApp,
  path: string,
  body: object,
  headers: { readonly [name: string]: string } = {},
) {
  const request = requestTo("POST", path, body);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  const response = await app.fetch(request);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as { readonly id: string };
}

const web = {
  type: "web_search",
  user_location: { type: "approximate", city: "Bergen" },
  filters: { allowed_domains: ["a.example"] },
};

// Contract: plugins-81
test("a tool that is bound to a hosted type gets the request's object with all options, on both APIs", async () => {
  const seen: unknown[] = [];
  const tools = [shows(seen, ({ tool: given }) => given ?? "none")];
  const steps = [call(), "Done."];
  const hostedTools = { web_search: "g.Show" };
  const responses = createTestApp({ model: new ScriptedModel(steps), tools, hostedTools });
  await send(responses, "/v1/responses", { input: "Search", tools: [web] });
  const dated = { ...web, type: "web_search_preview_2025_03_11" };
  const completions = createTestApp({ model: new ScriptedModel(steps), tools, hostedTools });
  await send(completions, "/v1/chat/completions", {
    messages: [{ role: "user", content: "Search" }],
    tools: [dated],
  });
  assert.deepEqual(seen, [web, dated]);
});

// Contract: plugins-81
test("a tool gets the entry of its group, without its secrets, and no other request's", async () => {
  const seen: unknown[] = [];
  const tools = [shows(seen, ({ tool: given }) => given ?? "none")];
  const model = new ScriptedModel([call(), "Done.", call(), "Done."]);
  const app = createTestApp({ model, tools });
  const entry = { ...toyTools[0], allowed_tools: ["Show"], headers: { authorization: "secret" } };
  await send(app, "/v1/responses", { input: "Go", tools: [entry] });
  const agents = { helper: { groups: [{ group: "g" }] } };
  const other = createTestApp({
    model: new ScriptedModel([call(), "Done."]),
    tools,
    agents,
  });
  await send(other, "/v1/responses", { model: "helper", input: "Go" });
  assert.partialDeepStrictEqual(seen[0], {
    type: "mcp",
    server_label: "g",
    allowed_tools: ["Show"],
  });
  assert.doesNotMatch(JSON.stringify(seen[0]), /secret/);
  assert.equal(seen[1], "none", "an agent offers the group");
});

// Contract: plugins-81
test("a tool object is stored while its call waits, and another process can read it", async () => {
  const seen: unknown[] = [];
  const waits = {
    ...asking("Show", () => ""),
    execute: shows(seen, (context) => context.tool).execute,
  };
  const store = openMemoryStore();
  const options = { tools: [waits as never], store, hostedTools: { web_search: "g.Show" } };
  const first = createTestApp({ model: new ScriptedModel([call()]), ...options });
  const asked = await first.call("POST", "/v1/responses", {
    input: "Search",
    tools: [web],
    approvals: "inline",
    background: true,
  });
  const approvals = async () => (await store.listApprovals({ owner: "local", limit: 9 })).data;
  for (let n = 0; n < 200 && (await approvals()).length === 0; n++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const [approval] = await approvals();
  assert.ok(approval !== undefined);
  // Another process resumes the run.
  const second = createTestApp({ model: new ScriptedModel(["Done."]), ...options });
  await second.call("POST", `/v1/approvals/${approval.id}`, { decision: "allow" });
  for (let n = 0; n < 400 && seen.length === 0; n++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, [web], asked.body.id);
});

// Contract: plugins-81
test("a response that takes a call over by previous_response_id keeps its tool object", async () => {
  const seen: unknown[] = [];
  const waits = {
    ...asking("Show", () => ""),
    execute: shows(seen, (context) => context.tool).execute,
  };
  const app = createTestApp({
    model: new ScriptedModel([call(), "Done."]),
    tools: [waits as never],
  });
  const entry = { ...toyTools[0], server_description: "Of the first request" };
  const first = await app.call("POST", "/v1/responses", { input: "Go", tools: [entry] });
  const asked = first.body.output.find(({ type }) => type === "mcp_approval_request");
  assert.ok(asked !== undefined);
  const answer = { type: "mcp_approval_response", approval_request_id: asked.id, approve: true };
  await send(app, "/v1/responses", { input: [answer], previous_response_id: first.body.id });
  assert.partialDeepStrictEqual(seen[0], { server_description: "Of the first request" });
});

// Contract: plugins-18, plugins-86
test("a tool gets the user, the metadata and the configured headers, on each entry point", async () => {
  const seen: unknown[] = [];
  const tools = [shows(seen, ({ request }) => request)];
  const passedHeaders = ["x-tenant", "authorization", "cookie"];
  const app = () =>
    createTestApp({
      model: new ScriptedModel([call(), "Done."]),
      tools,
      passedHeaders,
      apiKeys: keys,
    });
  const headers = {
    Authorization: "Bearer ann-key-ann-key",
    Cookie: "secret=1",
    "X-Tenant": "north",
    "X-Other": "no",
  };
  const metadata = { order: "7" };
  const asked = { input: "Go", tools: toyTools };
  const said = { messages: [{ role: "user", content: "Go" }], tools: toyTools };
  await send(app(), "/v1/responses", { ...asked, metadata, safety_identifier: "u1" }, headers);
  await send(app(), "/v1/responses", { ...asked, user: "u2", store: false }, headers);
  await send(app(), "/v1/chat/completions", { ...said, metadata, user: "u3" }, headers);
  await send(
    app(),
    "/v1/chat/completions",
    { ...said, safety_identifier: "u4", user: "u3" },
    headers,
  );
  const tenant = { headers: { "x-tenant": "north" } };
  assert.deepEqual(seen, [
    { user: "u1", metadata, ...tenant },
    { user: "u2", ...tenant },
    { user: "u3", metadata, ...tenant },
    { user: "u4", ...tenant },
  ]);
});

// Contract: plugins-18
test("concurrent requests get only their own user, metadata and files", async () => {
  const seen: unknown[] = [];
  const tools = [
    shows(seen, async ({ request, principal, files, signal }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      const texts = files.map(async (file) => Buffer.from(await file.read(signal)).toString());
      return [request.user, request.metadata?.["n"], principal.id, ...(await Promise.all(texts))];
    }),
  ];
  const step = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.at(-1)?.role === "tool" ? "Done." : call();
  const model = new ScriptedModel(Array.from({ length: 40 }, () => step));
  const app = createTestApp({ model, tools, apiKeys: keys });
  const requests = Array.from({ length: 20 }, (_, n) => {
    const text = `data:text/plain;base64,${Buffer.from(`file ${n}`).toString("base64")}`;
    const file = { type: "input_file", filename: `${n}.txt`, file_data: text };
    const input = [{ role: "user", content: [file] }];
    const body = { input, tools: toyTools, user: `u${n}`, metadata: { n: String(n) } };
    const who = n % 2 === 0 ? "ann" : "bob";
    return send(app, "/v1/responses", body, { Authorization: `Bearer ${who}-key-${who}-key` });
  });
  await Promise.all(requests);
  const expected = Array.from({ length: 20 }, (_, n) => [
    `u${n}`,
    String(n),
    n % 2 === 0 ? "ann" : "bob",
    `file ${n}`,
  ]);
  const byUser = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b));
  assert.deepEqual(seen.toSorted(byUser), expected.toSorted(byUser));
});

const upload = async (app: TestApp, name: string, text: string) => {
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File([text], name, { type: "text/plain" }));
  const request = new Request("http://127.0.0.1/v1/files", { method: "POST", body: form });
  const response = await app.fetch(request);
  return ((await response.json()) as { readonly id: string }).id;
};

const filesOf = async ({ files, signal }: ToolContext) => {
  const read = files.map(async (file) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of file.stream(signal)) pieces.push(piece);
    return [file.id ?? null, file.name, Buffer.concat(pieces).toString()];
  });
  return Promise.all(read);
};

// Contract: plugins-55, plugins-82, plugins-87
test("a tool reads the files of all turns of the conversation", async () => {
  const seen: unknown[] = [];
  const tools = [shows(seen, filesOf)];
  const model = new ScriptedModel([call(), "One.", "Two.", call(), "Three."]);
  const app = createTestApp({ model, tools });
  const id = await upload(app, "a.txt", "first");
  const other = await upload(app, "b.txt", "second");
  const part = { type: "input_file", file_id: id };
  const first = await send(app, "/v1/responses", {
    input: [{ role: "user", content: [part] }],
    tools: toyTools,
  });
  const second = await send(app, "/v1/responses", {
    input: "And?",
    previous_response_id: first.id,
    tools: toyTools,
  });
  await send(app, "/v1/responses", {
    input: [{ role: "user", content: [{ type: "input_file", file_id: other }] }],
    previous_response_id: second.id,
    tools: toyTools,
    history: { keep_turns: 0 },
  });
  assert.deepEqual(seen, [
    [[id, "a.txt", "first"]],
    [
      [id, "a.txt", "first"],
      [other, "b.txt", "second"],
    ],
  ]);
});

// Contract: plugins-87
test("a tool reads the files of a chat completion's messages", async () => {
  const seen: unknown[] = [];
  const app = createTestApp({
    model: new ScriptedModel([call(), "Done."]),
    tools: [shows(seen, filesOf)],
  });
  const id = await upload(app, "a.txt", "first");
  const image = "data:image/png;base64,iVBORw0KGgo=";
  await send(app, "/v1/chat/completions", {
    messages: [
      {
        role: "user",
        content: [
          { type: "file", file: { file_id: id } },
          { type: "image_url", image_url: { url: image } },
          { type: "image_url", image_url: { url: "https://a.example/b.png" } },
        ],
      },
    ],
    tools: toyTools,
  });
  const [files] = seen as [readonly (readonly unknown[])[]];
  assert.deepEqual(
    files.map(([fileId, name]) => [fileId, name]),
    [
      [id, "a.txt"],
      [null, "image-1.png"],
    ],
  );
});

// Contract: plugins-55
test("files of a hosted type are seen only by the tool that is bound to it", async () => {
  const seen: unknown[] = [];
  const named = async (context: ToolContext) => [context.toolId, ...(await filesOf(context))];
  const tools = [shows(seen, named, "Code"), shows(seen, named, "Other")];
  const model = new ScriptedModel([{ calls: [{ name: "Code" }, { name: "Other" }] }, "Done."]);
  const app = createTestApp({ model, tools, hostedTools: { code_interpreter: "g.Code" } });
  const id = await upload(app, "data.csv", "1,2");
  const container = { type: "auto", file_ids: [id] };
  await send(app, "/v1/responses", {
    input: "Go",
    tools: [{ type: "code_interpreter", container }, ...toyTools],
  });
  const byTool = seen.toSorted((a, b) => String(a).localeCompare(String(b)));
  assert.deepEqual(byTool, [["g.Code", [id, "data.csv", "1,2"]], ["g.Other"]]);
  const unknown = { type: "code_interpreter", container: { file_ids: ["file-unknown"] } };
  const { status, body } = await app.call("POST", "/v1/responses", {
    input: "Go",
    tools: [unknown],
  });
  assert.deepEqual([status, body.error?.code], [404, "file_not_found"]);
});

// Contract: plugins-56
test("a tool cannot read a file that another user owns", async () => {
  const store = openMemoryStore();
  const options = { store, apiKeys: keys, tools: [shows([], filesOf)] };
  const app = createTestApp({ model: new ScriptedModel([]), ...options });
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File(["secret"], "s.txt"));
  const asAnn = { Authorization: "Bearer ann-key-ann-key" };
  const url = "http://127.0.0.1/v1/files";
  const made = await app.fetch(new Request(url, { method: "POST", body: form, headers: asAnn }));
  const { id } = (await made.json()) as { readonly id: string };
  const request = requestTo("POST", "/v1/responses", {
    input: [{ role: "user", content: [{ type: "input_file", file_id: id }] }],
    tools: toyTools,
  });
  request.headers.set("Authorization", "Bearer bob-key-bob-key");
  assert.equal((await app.fetch(request)).status, 404);
});
