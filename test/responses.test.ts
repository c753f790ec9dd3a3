import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import type {
  FunctionTool,
  Response as ModelResponse,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { createApi, groupTool } from "./api.ts";
import {
  createServerFolder,
  readLedger,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream, type Upstream } from "./upstream.ts";

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let upstream: Upstream;
let server: ServerProcess;
let client: OpenAI;

const weather: FunctionTool = {
  type: "function",
  name: "get_weather",
  description: "The weather of a place.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  strict: false,
};

before(async () => {
  upstream = resources.use(await startUpstream(obey));
  folder = resources.use(await createServerFolder());
  const { environment } = upstream;
  server = resources.use(await startServerProcess({ folder, script: toyServer, environment }));
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "local", maxRetries: 0 });
});

after(() => resources.disposeAsync());

const model = "custom/scripted";
const ledger = () => readLedger(folder);
const types = ({ output }: ModelResponse) => output.map(({ type }) => type);

test("a function tool's call goes to the client, and its output continues with previous_response_id", async () => {
  const first = await client.responses.create({
    model,
    input: 'call get_weather {"place":"Kiel"}',
    tools: [weather],
  });
  assert.deepEqual(types(first), ["function_call"]);
  assert.equal(first.status, "completed");
  const call = first.output[0];
  assert.ok(call?.type === "function_call");
  assert.deepEqual(
    { name: call.name, arguments: call.arguments },
    { name: "get_weather", arguments: '{"place":"Kiel"}' },
  );
  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "storm, 9 Bft" }],
    tools: [weather],
  });
  assert.equal(second.output_text, "It said: storm, 9 Bft");
  const sent = upstream.requests.at(-1)?.messages ?? [];
  assert.deepEqual(
    sent.filter(({ role }) => role !== "system" && role !== "developer").map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.equal(sent.at(-1)?.tool_call_id, call.call_id);
});

test("a function tool works for a client that keeps the history itself", async () => {
  const input: OpenAI.Responses.ResponseInput = [
    { role: "user", content: 'call get_weather {"place":"Oslo"}' },
  ];
  const first = await client.responses.create({ model, input, tools: [weather], store: false });
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
  const call = first.output[0];
  assert.ok(call?.type === "function_call");
  input.push({ type: "function_call_output", call_id: call.call_id, output: "snow" });
  const second = await client.responses.create({ model, input, tools: [weather], store: false });
  assert.equal(second.output_text, "It said: snow");
});

test("an approval that arrives twice at the same time runs the call exactly once", async () => {
  const first = await create({ input: 'call Append {"line":"twice"}' }, false);
  const asked = first.output.find(({ type }) => type === "mcp_approval_request");
  assert.ok(asked?.type === "mcp_approval_request");
  const input = [
    { type: "mcp_approval_response", approval_request_id: asked.id, approve: true } as const,
  ];
  const both = await Promise.allSettled(
    [1, 2].map(() => create({ previous_response_id: first.id, input }, false)),
  );
  assert.ok(both.some(({ status }) => status === "fulfilled"));
  for (const one of both) if (one.status === "rejected") assert.equal(one.reason.status, 409);
  assert.equal((await ledger()).filter((text) => text === "twice").length, 1);
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "as JSON";

  test(`an mcp approval that is given runs the call exactly once (${how})`, async () => {
    const line = `allowed-${how}`;
    const first = await create({ input: `call Append {"line":"${line}"}` }, stream);
    assert.deepEqual(types(first), ["mcp_list_tools", "mcp_approval_request"]);
    const asked = first.output[1];
    assert.ok(asked?.type === "mcp_approval_request");
    assert.equal(asked.name, "Append");
    assert.deepEqual(JSON.parse(asked.arguments), { line });
    assert.ok(!(await ledger()).includes(line), "nothing ran before the answer");

    const answer = {
      previous_response_id: first.id,
      input: [
        { type: "mcp_approval_response", approval_request_id: asked.id, approve: true } as const,
      ],
    };
    const second = await create(answer, stream);
    const call = second.output.find(({ type }) => type === "mcp_call");
    assert.ok(call?.type === "mcp_call");
    assert.match(call.output ?? "", new RegExp(`recorded ${line}`));
    assert.match(second.output_text, new RegExp(`It said: recorded ${line}`));
    assert.equal((await ledger()).filter((text) => text === line).length, 1);

    // Repeats the answer, like a client that lost the first response.
    const third = await create(answer, stream);
    assert.match(third.output_text, new RegExp(`It said: recorded ${line}`));
    assert.ok(third.output.some((item) => item.type === "mcp_call" && item.output !== null));
    assert.equal((await ledger()).filter((text) => text === line).length, 1);
  });

  test(`a denied mcp approval gives the model the reason (${how})`, async () => {
    const line = `refused-${how}`;
    const first = await create({ input: `call Append {"line":"${line}"}` }, stream);
    const asked = first.output.find(({ type }) => type === "mcp_approval_request");
    assert.ok(asked?.type === "mcp_approval_request");
    const second = await create(
      {
        previous_response_id: first.id,
        input: [
          {
            type: "mcp_approval_response",
            approval_request_id: asked.id,
            approve: false,
            reason: "the paper is damp",
          },
        ],
      },
      stream,
    );
    assert.match(second.output_text, /the paper is damp/);
    const told = upstream.requests.at(-1)?.messages.at(-1);
    assert.equal(told?.role, "tool");
    assert.match(String(told?.content), /the paper is damp/);
    assert.ok(!(await ledger()).includes(line));
  });
}

test("require_approval: never lets a call of the request's own run without asking", async () => {
  const response = await client.responses.create({
    model,
    input: 'call Append {"line":"unasked"}',
    tools: [{ ...groupTool("toys"), require_approval: "never" }],
  });
  assert.deepEqual(types(response), ["mcp_list_tools", "mcp_call", "message"]);
  assert.equal((await ledger()).filter((text) => text === "unasked").length, 1);
});

test("a background response is queued, retrieved, and replayed byte for byte from any number", async () => {
  const created = await client.responses.create({
    model,
    input: 'call Record {"line":"background"}',
    tools: [groupTool("toys")],
    background: true,
  });
  assert.match(created.status ?? "", /^(queued|in_progress)$/);
  const whole = await replay(created.id);
  const events = whole
    .split("\n\n")
    .flatMap((block) => /^data: (\{.*)$/m.exec(block)?.[1] ?? [])
    .map((data) => JSON.parse(data) as ResponseStreamEvent);
  assert.equal(events.at(-1)?.type, "response.completed");
  assert.equal(await replay(created.id), whole, "read again, the same bytes");
  for (const { sequence_number } of events) {
    const rest = await replay(created.id, sequence_number);
    assert.ok(whole.endsWith(rest), `from ${sequence_number} on`);
    assert.equal(rest.match(/^event: /gm)?.length ?? 0, events.length - 1 - sequence_number);
  }
  const retrieved = await client.responses.retrieve(created.id);
  assert.equal(retrieved.status, "completed");
  assert.match(retrieved.output_text, /recorded background/);
});

test("store: false leaves nothing to retrieve and nothing on disk", async () => {
  const marker = "grog-barrel-4711";
  const response = await client.responses.create({
    model,
    input: `call Record {"line":"${marker}"}`,
    tools: [groupTool("toys")],
    store: false,
  });
  assert.match(response.output_text, new RegExp(marker));
  await assert.rejects(client.responses.retrieve(response.id), { status: 404 });
  await assert.rejects(
    client.responses.create({ model, input: "go on", previous_response_id: response.id }),
    { status: 400, code: "previous_response_not_found" },
  );
  const api = createApi(server.url);
  await assert.rejects(api.run(response.id), { status: 404 });
  for (const file of await readdir(folder.data)) {
    const bytes = await readFile(join(folder.data, file));
    assert.ok(!bytes.includes(marker), `${file} holds what was not to be stored`);
  }
});

test("store: false: an approval is answered in the next request, and is on no disk", async () => {
  const line = "ephemeral-9321";
  const tools = [groupTool("toys")];
  const input: OpenAI.Responses.ResponseInput = [
    { role: "user", content: `call Append {"line":"${line}"}` },
  ];
  const first = await client.responses.create({ model, input, tools, store: false });
  const asked = first.output.find(({ type }) => type === "mcp_approval_request");
  assert.ok(asked?.type === "mcp_approval_request");
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]), {
    type: "mcp_approval_response",
    approval_request_id: asked.id,
    approve: true,
  });
  const second = await client.responses.create({ model, input, tools, store: false });
  assert.match(second.output_text, /recorded ephemeral-9321/);
  const seen = upstream.requests.at(-1)?.messages.filter(({ role }) => role !== "system");
  assert.deepEqual(
    seen?.map(({ role }) => role),
    ["user", "assistant", "tool"],
    "the history is shown once",
  );
  // The client repeats the answered request with its next message; the repetition is history.
  input.push(...(second.output as OpenAI.Responses.ResponseInputItem[]), {
    role: "user",
    content: "Thanks",
  });
  const third = await client.responses.create({ model, input, tools, store: false });
  assert.equal(third.output_text, "Said in pieces.");
  assert.equal((await ledger()).filter((text) => text === line).length, 1);
  for (const file of await readdir(folder.data)) {
    assert.ok(!(await readFile(join(folder.data, file))).includes(line), file);
  }
});

test("the next turn is shown the log of the last one, not its raw results", async () => {
  const first = await client.responses.create({
    model,
    input: "call ReturnsMuch {}",
    tools: [groupTool("toys")],
  });
  await client.responses.create({
    model,
    input: "And now?",
    previous_response_id: first.id,
    tools: [groupTool("toys")],
  });
  const sent = upstream.requests.at(-1)?.messages ?? [];
  // The rules come first, then the two turns, each log before its answer.
  assert.deepEqual(
    sent.map(({ role }) => role),
    ["system", "user", "assistant", "user"],
  );
  const log = String(sent[1]?.content);
  assert.match(log, /^call ReturnsMuch \{\}\n\n<turn-log>/);
  assert.match(log, /ReturnsMuch_1/);
  assert.ok(log.length < 2_000, `the log is short, not ${log.length} characters`);
  assert.ok(!sent.some(({ role }) => role === "tool"));
});

test("instructions hold for one response and are not inherited", async () => {
  const first = await client.responses.create({
    model,
    input: "Hello",
    instructions: "Speak like a bosun.",
  });
  const said = () => JSON.stringify(upstream.requests.at(-1)?.messages);
  assert.match(said(), /Speak like a bosun/);
  const second = await client.responses.create({
    model,
    input: "And again",
    previous_response_id: first.id,
  });
  assert.equal(second.instructions, null);
  assert.ok(!said().includes("Speak like a bosun"));
  assert.match(said(), /Hello/);
});

test("two responses may continue the same one: the chain forks", async () => {
  const base = await client.responses.create({
    model,
    input: "My favourite colour is anchor grey.",
  });
  const forks = await Promise.all(
    ["left", "right"].map((input) =>
      client.responses.create({ model, input, previous_response_id: base.id }),
    ),
  );
  assert.deepEqual(
    forks.map(({ status }) => status),
    ["completed", "completed"],
  );
  const sent = upstream.requests.slice(-2).map(({ messages }) => JSON.stringify(messages));
  assert.ok(sent.every((text) => text.includes("My favourite colour is anchor grey.")));
  assert.equal(sent.filter((text) => text.includes("left")).length, 1);
});

/** A response with the toy tools, as JSON or joined from its stream. */
async function create(
  body: Pick<OpenAI.Responses.ResponseCreateParams, "input" | "previous_response_id">,
  stream: boolean,
): Promise<ModelResponse> {
  const request = { model, tools: [groupTool("toys")], ...body };
  if (!stream) return client.responses.create(request as never);
  return client.responses.stream(request as never).finalResponse();
}

async function replay(id: string, after?: number): Promise<string> {
  const from = after === undefined ? "" : `&starting_after=${after}`;
  const response = await fetch(`${server.url}/v1/responses/${id}?stream=true${from}`);
  return (await response.text()).replace("data: [DONE]\n\n", "");
}
