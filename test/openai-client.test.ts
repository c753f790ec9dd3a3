import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { runCommand } from "../scripts/command.ts";
import { groupTool } from "./api.ts";
import { createServerFolder, type ServerProcess, startServerProcess } from "./server-process.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

/** The answer of each server to "Hello". */
const greeting = ["Hello ", "from ", "upstream ⚓."];

const resources = new AsyncDisposableStack();
let upstream: Upstream;
let servers: { readonly offline: ServerProcess; readonly upstream: ServerProcess };

before(async () => {
  upstream = resources.use(
    await startUpstream(({ messages }) =>
      messages.at(-1)?.role === "user" && messages.at(-1)?.content === "list"
        ? { calls: [{ name: "ListFiles", arguments: '{"path":"."}' }] }
        : { say: greeting },
    ),
  );
  const start = async (environment: Upstream["environment"]) => {
    const folder = resources.use(await createServerFolder());
    return resources.use(await startServerProcess({ folder, environment }));
  };
  const [offline, custom] = await Promise.all([start({}), start(upstream.environment)]);
  servers = { offline, upstream: custom };
});

after(() => resources.disposeAsync());

const cases = {
  offline: { model: "capstan/offline", says: /no AI/ },
  upstream: { model: "custom/scripted", says: /^Hello from upstream ⚓\.$/ },
} as const;

for (const [name, { model, says }] of Object.entries(cases)) {
  const url = () => servers[name as keyof typeof cases].url;
  const client = () => new OpenAI({ baseURL: `${url()}/v1`, apiKey: "local", maxRetries: 0 });

  test(`${name}: the openai client creates a response and retrieves it`, async () => {
    const created = await client().responses.create({ model, input: "Hello" });
    assert.equal(created.status, "completed");
    assert.equal(created.model, model);
    assert.match(created.output_text, says);
    assert.ok((created.usage?.total_tokens ?? 0) > 0);
    const again = await client().responses.retrieve(created.id);
    assert.deepEqual({ ...again, output_text: created.output_text }, created);
  });

  test(`${name}: the openai client streams a response`, async () => {
    const events: ResponseStreamEvent[] = [];
    const stream = await client().responses.create({ model, input: "Hello", stream: true });
    for await (const event of stream) events.push(event);
    assert.equal(events[0]?.type, "response.created");
    const last = events.at(-1);
    assert.ok(last?.type === "response.completed");
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    );
    const text = events
      .map((event) => (event.type === "response.output_text.delta" ? event.delta : ""))
      .join("");
    assert.match(text, says);
    const [message] = last.response.output;
    assert.ok(message?.type === "message" && message.content[0]?.type === "output_text");
    assert.equal(message.content[0].text, text);
  });

  test(`${name}: responses.stream().finalResponse() gives the whole response`, async () => {
    const stream = client().responses.stream({ model, input: "Hello" });
    const final = await stream.finalResponse();
    assert.equal(final.status, "completed");
    assert.match(final.output_text, says);
    const retrieved = await client().responses.retrieve(final.id);
    assert.deepEqual(retrieved.output, withoutParsed(final.output));
  });

  test(`${name}: the openai client reads the calls of the server's tools`, async () => {
    const response = await client().responses.create({
      model,
      input: name === "offline" ? '/ListFiles {"path":"."}' : "list",
      tools: [{ ...groupTool("files"), require_approval: "never" }],
    });
    assert.deepEqual(
      response.output.map(({ type }) => type),
      ["mcp_list_tools", "mcp_call", "message"],
    );
    const call = response.output[1];
    assert.ok(call?.type === "mcp_call");
    assert.equal(call.name, "ListFiles");
    assert.equal(call.server_label, "files");
    assert.match(call.output ?? "", /notes\.txt/);
  });

  test(`${name}: curl creates a response, streams one and retrieves it`, async () => {
    const post = (body: object) =>
      curl("-N", `${url()}/v1/responses`, "-d", JSON.stringify({ model, input: "Hello", ...body }));
    const created = JSON.parse(await post({})) as OpenAI.Responses.Response;
    assert.equal(created.status, "completed");
    const retrieved = JSON.parse(await curl(`${url()}/v1/responses/${created.id}`));
    assert.deepEqual(retrieved, created);
    const streamed = await post({ stream: true });
    assert.match(streamed, /^event: response\.created\ndata: \{/);
    assert.match(streamed, /\nevent: response\.completed\ndata: .*\n\n/);
  });
}

test("the openai client lists the models, including the default model", async () => {
  const client = new OpenAI({ baseURL: `${servers.upstream.url}/v1`, apiKey: "local" });
  const ids = (await client.models.list()).data.map(({ id }) => id);
  assert.ok(ids.includes("custom/scripted"), ids.join());
  assert.ok(ids.includes("capstan/offline"), ids.join());
});

test("requests to the upstream use its own key, never the client's key", () => {
  assert.ok(upstream.requests.length > 0);
  assert.deepEqual(new Set(upstream.authorizations), new Set(["Bearer upstream-key"]));
  assert.deepEqual(new Set(upstream.requests.map(({ model }) => model)), new Set(["scripted"]));
});

async function curl(...args: readonly string[]): Promise<string> {
  const json = args.includes("-d") ? ["-H", "Content-Type: application/json"] : [];
  const { code, output } = await runCommand("curl", ["-sS", "--fail-with-body", ...json, ...args]);
  assert.equal(code, 0, output);
  return output;
}

/** The client adds its parsed fields. */
function withoutParsed(output: readonly object[]): unknown {
  return JSON.parse(
    JSON.stringify(output, (key: string, value: unknown) =>
      key === "parsed" || key === "parsed_arguments" ? undefined : value,
    ),
  );
}

test("the openai client requests embeddings from the upstream", async () => {
  const client = new OpenAI({ baseURL: `${servers.upstream.url}/v1`, apiKey: "local" });
  for (const model of ["custom/embedder", "embedder"]) {
    const { data, model: answered } = await client.embeddings.create({
      model,
      input: ["one", "three"],
      encoding_format: "float",
    });
    assert.deepEqual(
      data.map(({ embedding }) => embedding),
      [
        [3, 0.5],
        [5, 0.5],
      ],
    );
    assert.equal(answered, "embedder");
  }
});

test("a failure of the upstream's embeddings keeps its status, and tells when to try again", async () => {
  const response = await fetch(`${servers.upstream.url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "custom/broken", input: "x" }),
  });
  assert.deepEqual([response.status, response.headers.get("retry-after")], [429, "7"]);
});

test("without a provider of embeddings, the request is rejected by name", async () => {
  const client = new OpenAI({ baseURL: `${servers.offline.url}/v1`, apiKey: "local" });
  await assert.rejects(
    client.embeddings.create({ model: "capstan/offline", input: "x" }),
    /400 Invalid 'model': The offline model offers no embeddings\. Name a model of ollama/,
  );
});
