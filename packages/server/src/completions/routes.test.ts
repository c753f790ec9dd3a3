/* oxlint-disable typescript/no-deprecated -- the older form of tools is still supported */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import OpenAI from "openai";
import { createTestApp, requestTo, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking, runIn, tool } from "../testing/run-fixtures.ts";

const path = "/v1/chat/completions";
const hello = [{ role: "user" as const, content: "Hello" }];

function clientOf({ fetch }: TestApp): OpenAI {
  return new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: (url, init) => fetch(new Request(url instanceof Request ? url : String(url), init)),
  });
}

/** Returns the data of a stream's events. */
async function eventsOf(response: Response): Promise<readonly string[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .flatMap((event) => (event === "" ? [] : [event.replace(/^data: /, "")]));
}

const weather = {
  type: "function" as const,
  function: {
    name: "Weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

test("an answer has the form that OpenAI's client expects", async () => {
  const model = new ScriptedModel([
    { text: "Good day.", reasoning: "hm", usage: { inputTokens: 5, outputTokens: 3 } },
  ]);
  const app = createTestApp({ model });
  const answer = await clientOf(app).chat.completions.create({ model: "any", messages: hello });
  assert.match(answer.id, /^chatcmpl-\w+$/);
  assert.equal(answer.object, "chat.completion");
  assert.equal(answer.model, model.id);
  assert.deepEqual(answer.choices, [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Good day.",
        refusal: null,
        annotations: [],
        reasoning_content: "hm",
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ]);
  assert.equal(answer.usage?.total_tokens, 8);
  assert.deepEqual(model.requests[0]?.messages.at(-1), { role: "user", content: "Hello" });
});

test("a stream begins with the role, ends with the finish reason alone, and has usage on request", async () => {
  const { fetch } = createTestApp({
    model: new ScriptedModel([{ text: "One two three four five.", reasoning: "hm" }]),
  });
  const response = await fetch(
    requestTo("POST", path, {
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events = await eventsOf(response);
  assert.equal(events.at(-1), "[DONE]");
  const chunks = events
    .slice(0, -1)
    .map((event) => JSON.parse(event) as OpenAI.ChatCompletionChunk);
  assert.ok(chunks.every(({ choices }) => Array.isArray(choices)));
  assert.deepEqual(chunks[0]?.choices[0]?.delta, { role: "assistant", content: "", refusal: null });
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  assert.equal(text, "One two three four five.");
  const end = chunks.at(-2);
  assert.deepEqual(end?.choices[0]?.delta, {});
  assert.equal(end?.choices[0]?.finish_reason, "stop");
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert.equal(typeof chunks.at(-1)?.usage?.total_tokens, "number");
  assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null));
});

test("a stream without include_usage has no usage", async () => {
  const { fetch } = createTestApp({ model: new ScriptedModel(["Hi"]) });
  const events = await eventsOf(
    await fetch(requestTo("POST", path, { messages: hello, stream: true })),
  );
  assert.ok(events.slice(0, -1).every((event) => !("usage" in (JSON.parse(event) as object))));
});

for (const stream of [false, true])
  test(`results of server calls remain when a client answers its own call (stream ${stream})`, async () => {
    const model = new ScriptedModel([
      {
        calls: [
          { name: "Time", id: "call_time" },
          { name: "Weather", args: { city: "Oslo" }, id: "call_weather" },
        ],
      },
      "It is noon and it rains.",
    ]);
    let runs = 0;
    const time = tool("Time", () => `noon ${(runs += 1)}`);
    const app = createTestApp({ model, tools: [time] });
    const client = clientOf(app);
    const tools = [weather, ...toyTools] as unknown as OpenAI.ChatCompletionTool[];
    const create = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      if (!stream) return client.chat.completions.create({ model: "any", messages, tools });
      return client.chat.completions
        .stream({ model: "any", messages, tools })
        .finalChatCompletion();
    };
    const first = await create([...hello]);
    const choice = first.choices[0]!;
    assert.equal(choice.finish_reason, "tool_calls");
    // The client sees only its own call.
    assert.deepEqual(
      choice.message.tool_calls?.map(
        (call) =>
          call.type === "function" && [call.id, call.function.name, call.function.arguments],
      ),
      [["call_weather", "Weather", '{"city":"Oslo"}']],
    );
    const second = await create([
      ...hello,
      choice.message,
      { role: "tool", tool_call_id: "call_weather", content: "rain" },
    ]);
    assert.equal(second.choices[0]?.message.content, "It is noon and it rains.");
    assert.equal(runs, 1);
    const shown = JSON.stringify(model.requests[1]?.messages);
    assert.match(shown, /noon 1/);
    assert.match(shown, /rain/);
    assert.equal(shown.split("Hello").length, 2, "the user's message is there once");
  });

test("a history with calls of another server is sent to the model as it is", async () => {
  const model = new ScriptedModel(["Fine."]);
  const { call } = createTestApp({ model });
  const toolCall = {
    id: "call_1",
    type: "function",
    function: { name: "Weather", arguments: "{}" },
  };
  const { status } = await call("POST", path, {
    messages: [
      { role: "system", content: "Be brief." },
      ...hello,
      { role: "assistant", content: null, tool_calls: [toolCall] },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "rain" }] },
    ],
    tools: [weather],
  });
  assert.equal(status, 200);
  const [system, user, assistant, result] = model.requests[0]?.messages ?? [];
  assert.deepEqual(system, { role: "system", content: "Be brief." });
  assert.deepEqual(user, hello[0]);
  assert.ok(assistant?.role === "assistant");
  assert.deepEqual(
    assistant.tool_calls?.map(({ id }) => id),
    ["call_1"],
  );
  assert.ok(result?.role === "tool");
  assert.equal(result.content, "rain");
});

test("an edited history is sent to the model as the client states it", async () => {
  const calls = [{ name: "Weather", args: { city: "Oslo" }, id: "call_weather" }];
  const model = new ScriptedModel([{ calls }, "Fine."]);
  const { call } = createTestApp({ model });
  const toolCall = {
    id: "call_weather",
    type: "function",
    function: { name: "Weather", arguments: "{}" },
  };
  const tools = [weather];
  await call("POST", path, { messages: hello, tools });
  await call("POST", path, {
    messages: [
      { role: "user", content: "Edited" },
      { role: "assistant", content: null, tool_calls: [toolCall] },
      { role: "tool", tool_call_id: "call_weather", content: "rain" },
    ],
    tools,
  });
  const said = model.requests[1]?.messages.map(({ role, content }) => [role, content]);
  assert.deepEqual(said, [
    ["user", "Edited"],
    ["assistant", ""],
    ["tool", "rain"],
  ]);
});

test("a completion that is not stored can answer the call of a stored one", async () => {
  const calls = [{ name: "Weather", args: {}, id: "call_weather" }];
  const model = new ScriptedModel([{ calls }, "Fine."]);
  const app = createTestApp({ model });
  const { chat } = clientOf(app);
  const common = { model: "any", tools: [weather] };
  const first = await chat.completions.create({ ...common, messages: hello, store: true });
  const answered = { role: "tool", tool_call_id: "call_weather", content: "rain" } as const;
  const messages = [...hello, first.choices[0]!.message, answered];
  const second = await chat.completions.create({ ...common, messages });
  assert.equal(second.choices[0]?.message.content, "Fine.");
  const said = model.requests[1]?.messages.map(({ role }) => role);
  assert.deepEqual(said, ["user", "assistant", "tool"]);
});

test("a call id that a model reuses belongs to the call of its own turn", async () => {
  const model = new ScriptedModel(["Fine."]);
  const { call } = createTestApp({ model });
  const turn = (city: string) => [
    { role: "user", content: city },
    {
      role: "assistant",
      tool_calls: [
        {
          id: "call_0",
          type: "function",
          function: { name: "Weather", arguments: JSON.stringify({ city }) },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_0", content: `rain in ${city}` },
  ];
  const { status } = await call("POST", path, {
    messages: [...turn("Oslo"), ...turn("Rome")],
    tools: [weather],
  });
  assert.equal(status, 200);
  const results = model.requests[0]?.messages.filter(({ role }) => role === "tool");
  assert.deepEqual(
    results?.map(({ content }) => content),
    ["rain in Oslo", "rain in Rome"],
  );
});

// Contract: responses-14
test("a grammar of a custom tool is enforced, with and without a stream", async () => {
  const grammar = { syntax: "lark" as const, definition: 'start: "say " /[a-z]+/' };
  const say = {
    type: "custom" as const,
    custom: { name: "say", format: { type: "grammar" as const, grammar } },
  };
  const steps = ["SAY", "say it"].map((input) => ({ calls: [{ name: "say", args: { input } }] }));
  const request = { model: "any", messages: hello, tools: [say] };
  const model = new ScriptedModel(steps);
  const answer = await clientOf(createTestApp({ model })).chat.completions.create(request);
  const [call] = answer.choices[0]?.message.tool_calls ?? [];
  assert.deepEqual(call?.type === "custom" && call.custom, { name: "say", input: "say it" });
  assert.equal(answer.choices[0]?.message.tool_calls?.length, 1);
  const result = model.requests[1]?.messages.at(-1)?.content;
  assert.match(String(result), /does not match its grammar: at line 1, column 1/);

  const streamed = createTestApp({ model: new ScriptedModel(steps) });
  const response = await streamed.fetch(requestTo("POST", path, { ...request, stream: true }));
  const text = await response.text();
  assert.match(text, /say it/);
  assert.doesNotMatch(text, /SAY/);

  const broken = {
    ...say.custom,
    format: { type: "grammar", grammar: { ...grammar, syntax: "x" } },
  };
  const { call: post } = createTestApp({ model });
  const rejected = await post("POST", path, { ...request, tools: [{ ...say, custom: broken }] });
  assert.equal(rejected.body.error?.param, "tools[0].custom.format.grammar.syntax");
  const shell = await post("POST", path, { ...request, tools: [{ type: "shell" }] });
  assert.deepEqual([shell.status, shell.body.error?.param], [400, "tools[0].type"]);
});

test("a custom tool takes plain text", async () => {
  const model = new ScriptedModel([
    { calls: [{ name: "Patch", args: { input: "line 1\nline 2" }, id: "call_p" }] },
  ]);
  const app = createTestApp({ model });
  const custom = { type: "custom" as const, custom: { name: "Patch", description: "Patches." } };
  const answer = await clientOf(app).chat.completions.create({
    model: "any",
    messages: hello,
    tools: [custom],
  });
  assert.deepEqual(answer.choices[0]?.message.tool_calls, [
    { id: "call_p", type: "custom", custom: { name: "Patch", input: "line 1\nline 2" } },
  ]);
});

test("the older form of tools is answered in the older form", async () => {
  const model = new ScriptedModel([
    { calls: [{ name: "Weather", args: { city: "Oslo" } }] },
    "Rain.",
  ]);
  const app = createTestApp({ model });
  const { chat } = clientOf(app);
  const functions = [weather.function];
  const first = await chat.completions.create({ model: "any", messages: hello, functions });
  const choice = first.choices[0]!;
  assert.equal(choice.finish_reason, "function_call");
  assert.deepEqual(choice.message.function_call, {
    name: "Weather",
    arguments: '{"city":"Oslo"}',
  });
  const second = await chat.completions.create({
    model: "any",
    messages: [...hello, choice.message, { role: "function", name: "Weather", content: "rain" }],
    functions,
  });
  assert.equal(second.choices[0]?.message.content, "Rain.");
  assert.equal(model.requests[1]?.messages.at(-1)?.content, "rain");
});

for (const stream of [false, true])
  test(`a model's failure before any output has the HTTP status of its kind (stream ${stream})`, async () => {
    const failing = { code: "rate_limit", message: "Slow down.", retryAfterMs: 1_500 } as const;
    const { fetch } = createTestApp({
      model: new ScriptedModel([{ error: new ModelError(failing) }]),
    });
    const response = await fetch(requestTo("POST", path, { messages: hello, stream }));
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "2");
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, "rate_limit_exceeded");
    assert.match(error.message, /Slow down/);
  });

test("a model's failure after heartbeats is an event of the stream", async () => {
  const hold = Promise.withResolvers<string>();
  const model = new ScriptedModel([() => hold.promise]);
  const { fetch } = createTestApp({ model, limits: { heartbeatMs: 10 } });
  const response = await fetch(requestTo("POST", path, { messages: hello, stream: true }));
  hold.reject(new ModelError({ code: "server", message: "Broken." }));
  assert.equal(response.status, 200);
  const last = JSON.parse((await eventsOf(response)).at(-1) ?? "") as { error?: { code: string } };
  assert.equal(last.error?.code, "server_error");
});

test("a model's failure after some output is an event of the stream", async () => {
  const error = new ModelError({ code: "server", message: "Broken." });
  const { fetch } = createTestApp({ model: new ScriptedModel([{ error, after: "Some text" }]) });
  const response = await fetch(requestTo("POST", path, { messages: hello, stream: true }));
  assert.equal(response.status, 200);
  const last = JSON.parse((await eventsOf(response)).at(-1) ?? "") as { error?: { type: string } };
  assert.equal(last.error?.type, "server_error");
});

test("a header names the fields that have no effect", async () => {
  const { fetch } = createTestApp({ model: new ScriptedModel(["Hi", "Hi"]) });
  const odd = {
    messages: hello,
    logit_bias: { 1: 2 },
    prediction: null,
    "x\ny": 1,
    cache_control: {},
  };
  for (const stream of [false, true]) {
    const response = await fetch(requestTo("POST", path, { ...odd, stream }));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("capstan-ignored"), "cache_control, logit_bias");
    await response.text();
  }
});

for (const stream of [false, true]) {
  const answerTo = async (model: ScriptedModel, more: object): Promise<OpenAI.ChatCompletion> => {
    const { chat } = clientOf(createTestApp({ model }));
    const request = { model: "any", messages: hello, ...more };
    return stream
      ? chat.completions.stream(request).finalChatCompletion()
      : chat.completions.create(request);
  };

  test(`an answer that a strict schema rejects is never sent (stream ${stream})`, async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const model = new ScriptedModel(['{"n": "many"}', '{"n": 7}']);
    const json_schema = { name: "count", strict: true, schema };
    const answer = await answerTo(model, { response_format: { type: "json_schema", json_schema } });
    assert.equal(answer.choices[0]?.message.content, '{"n": 7}');
    model.assertDone();
  });

  test(`a refusal is in its own field (stream ${stream})`, async () => {
    const finish = {
      type: "finish",
      reason: "stop",
      usage: { inputTokens: 1, outputTokens: 1 },
    } as const;
    const model = new ScriptedModel([
      { events: [{ type: "refusal-delta", text: "I cannot." }, finish] },
    ]);
    const answer = await answerTo(model, {});
    assert.equal(answer.choices[0]?.message.refusal, "I cannot.");
    assert.equal(answer.choices[0]?.message.content ?? "", "");
  });
}

for (const stream of [false, true])
  test(`several choices are answered by a run each (stream ${stream})`, async () => {
    const model = new ScriptedModel(["same", "same", "same"]);
    const app = createTestApp({ model });
    const create = { model: "any", messages: hello, n: 3 };
    const { chat } = clientOf(app);
    const answer = stream
      ? await chat.completions.stream(create).finalChatCompletion()
      : await chat.completions.create(create);
    assert.deepEqual(
      answer.choices.map(({ index, message, finish_reason: end }) => [index, message.content, end]),
      [0, 1, 2].map((index) => [index, "same", "stop"]),
    );
    model.assertDone();
  });

for (const headers of [{ "Idempotency-Key": "k1" }, { "X-Stainless-Retry-Count": "1" }])
  test(`a repeat with ${Object.keys(headers)[0]} gets the choices of the first request`, async () => {
    const model = new ScriptedModel(["one", "two"]);
    const { fetch } = createTestApp({ model });
    const post = async (more: { readonly [name: string]: string }) => {
      const request = requestTo("POST", path, { messages: hello, n: 2, store: true });
      for (const [name, value] of Object.entries(more)) request.headers.set(name, value);
      return (await (await fetch(request)).json()) as OpenAI.ChatCompletion;
    };
    const first = await post({
      "X-Stainless-Retry-Count": "0",
      ...("Idempotency-Key" in headers && headers),
    });
    const texts = first.choices.map(({ message }) => message.content ?? "");
    assert.deepEqual(texts.toSorted(), ["one", "two"]);
    assert.deepEqual(await post(headers), first);
    model.assertDone();
  });

test("a stored completion can be read and deleted; others are unknown", async () => {
  const { call } = createTestApp({ model: new ScriptedModel(["Kept", "Passing", "Other"]) });
  const { body } = await call("POST", path, { messages: hello, store: true, metadata: { a: "b" } });
  const read = await call("GET", `${path}/${body.id}`);
  assert.deepEqual(read.body, body);
  const { body: passing } = await call("POST", path, { messages: hello });
  assert.equal((await call("GET", `${path}/${passing.id}`)).status, 404);
  const { body: response } = await call("POST", "/v1/responses", { input: "Hi" });
  assert.equal((await call("GET", `${path}/${response.id}`)).status, 404);
  const asResponse = body.id.replace("chatcmpl-", "resp_");
  assert.equal((await call("GET", `/v1/responses/${asResponse}`)).status, 404);
  const deleted = await call("DELETE", `${path}/${body.id}`);
  assert.deepEqual(deleted.body, { object: "chat.completion.deleted", id: body.id, deleted: true });
  assert.equal((await call("GET", `${path}/${body.id}`)).status, 404);
});

test("an answer waits for an approval that is given elsewhere, with chunks as heartbeats", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Delete" }] }, "Deleted."]);
  const { fetch, call } = createTestApp({
    model,
    tools: [asking("Delete", () => "gone")],
    limits: { heartbeatMs: 20 },
  });
  const response = await fetch(
    requestTo("POST", path, { messages: hello, tools: toyTools, stream: true }),
  );
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (isEnough: (text: string) => boolean) => {
    while (!isEnough(text)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
  };
  await readUntil((all) => all.split('"delta":{}').length > 2);
  assert.match(text, /"reasoning_content":"Waiting for approval: Delete\./);
  assert.doesNotMatch(text, /^:/m);
  const { body } = await call("GET", "/v1/approvals");
  await call("POST", `/v1/approvals/${body.data[0]?.id}`, { decision: "allow" });
  await readUntil(() => false);
  assert.match(text, /Deleted\./);
});

test("images, audio and files reach the model", async () => {
  const model = new ScriptedModel(["Seen."]);
  const { call } = createTestApp({ model });
  const large = Buffer.alloc(30_000, 7).toString("base64");
  const { status } = await call("POST", path, {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } },
          { type: "image_url", image_url: { url: `data:image/png;base64,${large}` } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          },
        ],
      },
    ],
  });
  assert.equal(status, 200);
  const content = model.requests[0]?.messages[0]?.content;
  assert.deepEqual(content, [
    { type: "text", text: "Look" },
    {
      type: "image",
      detail: "low",
      mimeType: "image/*",
      source: { type: "url", url: "https://example.org/a.png" },
    },
    {
      type: "image",
      detail: "auto",
      mimeType: "image/png",
      source: { type: "base64", data: large },
    },
    {
      type: "file",
      name: "audio.wav",
      mimeType: "audio/wav",
      source: { type: "base64", data: "AAAA" },
    },
    {
      type: "file",
      name: "a.pdf",
      mimeType: "application/pdf",
      source: { type: "base64", data: "AAAA" },
    },
  ]);
});

test("a long image is stored with the run, and reaches the model", async () => {
  const model = new ScriptedModel(["Seen."]);
  const { call, services } = createTestApp({ model });
  const data = Buffer.alloc(60_000, 9).toString("base64");
  const url = `data:image/png;base64,${data}`;
  const { body } = await call("POST", path, {
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    store: true,
  });
  assert.deepEqual(model.requests[0]?.messages[0]?.content, [
    { type: "image", detail: "auto", mimeType: "image/png", source: { type: "base64", data } },
  ]);
  const id = body.id.replace("chatcmpl-", "resp_");
  const run = await services.runs.store.ancestors({ owner: "local", runId: id });
  assert.match(JSON.stringify(run), /"blob"/);
  assert.doesNotMatch(JSON.stringify(run), /CQkJCQ/);
});

test("settings reach the model", async () => {
  const model = new ScriptedModel(["Hi"]);
  const { call } = createTestApp({ model });
  await call("POST", path, {
    messages: hello,
    max_completion_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    stop: "END",
    seed: 7,
    reasoning_effort: "low",
    tools: [weather],
    tool_choice: { type: "function", function: { name: "Weather" } },
    parallel_tool_calls: false,
    response_format: { type: "json_object" },
  });
  const { messages: _messages, tools: _tools, ...settings } = model.requests[0]!;
  assert.deepEqual(settings, {
    toolChoice: { type: "function", name: "Weather" },
    parallelToolCalls: false,
    temperature: 0.5,
    topP: 0.9,
    maxOutputTokens: 50,
    stop: ["END"],
    seed: 7,
    reasoningEffort: "low",
    responseFormat: { type: "json_object" },
  });
});

const wrong: readonly (readonly [title: string, body: object, param: string])[] = [
  ["no messages", {}, "messages"],
  ["an empty list", { messages: [] }, "messages"],
  ["an unknown role", { messages: [{ role: "king", content: "" }] }, "messages[0].role"],
  [
    "a part of an unknown type",
    { messages: [{ role: "user", content: [{ type: "smell" }] }] },
    "messages[0].content[0].type",
  ],
  [
    "an answer to no call",
    { messages: [...hello, { role: "tool", tool_call_id: "a", content: "b" }] },
    "messages[1].tool_call_id",
  ],
  [
    "a tool without a name",
    { messages: hello, tools: [{ type: "function", function: {} }] },
    "tools[0].function.name",
  ],
  ["two tools of one name", { messages: hello, tools: [weather, weather] }, "tools"],
  ["an unknown tool type", { messages: hello, tools: [{ type: "magic" }] }, "tools[0].type"],
  [
    "a foreign server",
    {
      messages: hello,
      tools: [{ type: "mcp", server_label: "x", server_url: "https://example.org/mcp" }],
    },
    "tools[0].server_url",
  ],
  [
    "an unknown group",
    {
      messages: hello,
      tools: [{ type: "mcp", server_label: "x", server_url: "capstan://groups/x" }],
    },
    "tools",
  ],
  [
    "a choice of an undeclared tool",
    { messages: hello, tool_choice: { type: "function", function: { name: "W" } } },
    "tool_choice",
  ],
  ["too many choices", { messages: hello, n: 100 }, "n"],
  ["audio as output", { messages: hello, modalities: ["text", "audio"] }, "modalities"],
  ["five stops", { messages: hello, stop: ["a", "b", "c", "d", "e"] }, "stop"],
  [
    "a file without content",
    { messages: [{ role: "user", content: [{ type: "file", file: { filename: "a.txt" } }] }] },
    "messages[0].content[0].file.file_data",
  ],
  ...Object.entries({
    "image_url.url": { type: "image_url", image_url: { url: { sha256: "0".repeat(64), size: 1 } } },
    "video_url.url": { type: "video_url", video_url: { url: {} } },
    "input_audio.data": { type: "input_audio", input_audio: { data: [], format: "wav" } },
    "file.file_data": { type: "file", file: { file_data: { prefix: "" } } },
  }).map(
    ([name, part]) =>
      [
        `an object as ${name}`,
        { messages: [{ role: "user", content: [part] }] },
        `messages[0].content[0].${name}`,
      ] as const,
  ),
  [
    "a schema without a name",
    { messages: hello, response_format: { type: "json_schema", json_schema: {} } },
    "response_format.json_schema.name",
  ],
];

for (const [title, body, param] of wrong)
  test(`rejects ${title}, and names the field`, async () => {
    const { call } = createTestApp({ model: new ScriptedModel([]) });
    const answer = await call("POST", path, body);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.error?.param, param);
  });

test("a client that disconnects stops its runs", async () => {
  const hold = Promise.withResolvers<string>();
  const model = new ScriptedModel([() => hold.promise]);
  const { fetch, call, services } = createTestApp({ model, limits: { heartbeatMs: 10 } });
  const left = new AbortController();
  const body = { messages: hello, stream: true, store: true };
  const response = await fetch(requestTo("POST", path, body, left.signal));
  left.abort();
  await response.body?.cancel();
  const { body: list } = await call("GET", "/v1/runs");
  await runIn(services.runs.store, list.data[0]?.id ?? "", "cancelled");
});

test("verbosity reaches the model, is not reported as ignored, and has three values", async () => {
  const model = new ScriptedModel(["Hi"]);
  const { fetch } = createTestApp({ model });
  const send = (verbosity: string) =>
    fetch(requestTo("POST", path, { messages: hello, verbosity }));
  const response = await send("low");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("Capstan-Ignored"), null);
  assert.equal(model.requests[0]?.verbosity, "low");
  assert.equal((await send("loud")).status, 400);
});

test("a type that is an object is rejected with a 400, even if it cannot be converted to a string", async () => {
  const { fetch } = createTestApp({ model: new ScriptedModel(["Hi"]) });
  const type = { toString: 1 };
  const bodies = [
    { messages: [{ role: "user", content: [{ type, text: "a" }] }] },
    { messages: hello, tools: [{ type }] },
    { messages: hello, tool_choice: { type } },
    { input: [{ role: "user", content: [{ type, image_url: "data:image/png;base64,AAAA" }] }] },
    { input: [{ type, output: [{ type }] }] },
    { input: [{ type: "function_call_output", call_id: "c", output: [{ type }] }] },
    { input: "a", tools: [{ type: "namespace", name: "n", description: "d", tools: [{ type }] }] },
    { input: "a", tool_choice: { type } },
  ];
  for (const body of bodies) {
    const url = "messages" in body ? path : "/v1/responses";
    const { status } = await fetch(requestTo("POST", url, body));
    assert.equal(status, 400, JSON.stringify(body));
  }
});
