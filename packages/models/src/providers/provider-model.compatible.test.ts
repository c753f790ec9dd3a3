import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock, Model, ModelRequest } from "@capstan/core";
import { FakeClock } from "@capstan/core/testing";
import { collectEvents, instantClock, textOf } from "../testing/collect-events.ts";
import {
  type Exchange,
  fails,
  sendEvents,
  startSseServer,
  streams,
} from "../testing/sse-server.ts";
import { configuredProviders } from "./configured-providers.ts";
import { createLanguageModels } from "./language-models.ts";
import { createProviderModel } from "./provider-model.ts";

const key = "test-key-12345678";

/** Tests the model of an OpenAI-compatible server over real HTTP. */
function modelAt(url: string, settings: { clock?: Clock; silenceMs?: number } = {}): Model {
  const [provider] = configuredProviders({ CAPSTAN_MODEL_URL: url, CAPSTAN_MODEL_KEY: key });
  assert.ok(provider);
  const languageModel = () => createLanguageModels(provider, undefined)("llama");
  return createProviderModel({
    provider,
    modelName: "llama",
    languageModel,
    random: () => 0.5,
    ...settings,
  });
}

function chunk(delta: unknown, finishReason: string | null = null) {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "llama",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function callChunk(index: number, call: { id?: string; name?: string; arguments?: string }) {
  const { id, ...rest } = call;
  return chunk({
    tool_calls: [{ index, ...(id !== undefined && { id, type: "function" }), function: rest }],
  });
}

const hello = streams(
  chunk({ role: "assistant", content: "Hel" }),
  chunk({ content: "lo" }),
  chunk({}, "stop"),
  "[DONE]",
);

test("streams text and usage", async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 1 },
  };
  await using server = await startSseServer(
    streams(
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      chunk({}, "length"),
      { ...chunk({}), choices: [], usage },
      "[DONE]",
    ),
  );
  const { events } = await collectEvents(modelAt(server.url));
  assert.deepEqual(events, [
    { type: "text-delta", text: "Hel" },
    { type: "text-delta", text: "lo" },
    {
      type: "finish",
      reason: "length",
      usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 },
    },
  ]);
});

test("ends an answer with [DONE], even if the server leaves the response open", async () => {
  await using server = await startSseServer(({ response }) =>
    sendEvents(response, [chunk({ content: "Hi" }), chunk({}, "stop"), "[DONE]"]),
  );
  const { events } = await collectEvents(modelAt(server.url));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["text-delta", "finish"],
  );
});

// Contract: model-messages-12
test("streams the arguments of parallel calls, and ends the calls with the answer", async () => {
  await using server = await startSseServer(
    streams(
      callChunk(0, { id: "a", name: "ListFiles", arguments: '{"pa' }),
      callChunk(1, { id: "b", name: "DateTime", arguments: "" }),
      callChunk(0, { arguments: 'th":"."}' }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ),
  );
  const { events } = await collectEvents(modelAt(server.url));
  assert.deepEqual(events.slice(0, -1), [
    { type: "tool-call-start", id: "a", name: "ListFiles" },
    { type: "tool-call-delta", id: "a", delta: '{"pa' },
    { type: "tool-call-start", id: "b", name: "DateTime" },
    { type: "tool-call-delta", id: "a", delta: 'th":"."}' },
    { type: "tool-call-end", id: "a", name: "ListFiles", arguments: '{"path":"."}' },
    { type: "tool-call-end", id: "b", name: "DateTime", arguments: "" },
  ]);
  const last = events.at(-1);
  assert.ok(last?.type === "finish" && last.reason === "tool_calls");
});

test("streams reasoning that a server sends as text separately from the answer", async () => {
  await using server = await startSseServer(
    streams(
      chunk({ reasoning_content: "Hm" }),
      chunk({ content: "Yes" }),
      chunk({}, "stop"),
      "[DONE]",
    ),
  );
  const { events } = await collectEvents(modelAt(server.url));
  assert.deepEqual(events.slice(0, 3), [
    { type: "reasoning-delta", text: "Hm" },
    { type: "reasoning-end" },
    { type: "text-delta", text: "Yes" },
  ]);
});

test("sends messages, tools and settings in the form of Chat Completions", async () => {
  await using server = await startSseServer(hello);
  const request: ModelRequest = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "List." },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "a",
            type: "function",
            function: { name: "ListFiles", arguments: '{ "path":"." }' },
          },
        ],
      },
      { role: "tool", tool_call_id: "a", name: "ListFiles", content: "one.txt" },
      { role: "developer", content: "<turn-log>\nListFiles\n</turn-log>" },
      { role: "user", content: "Thanks." },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "ListFiles",
          description: "Lists.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
    toolChoice: { type: "function", name: "ListFiles" },
    parallelToolCalls: false,
    temperature: 0.5,
    maxOutputTokens: 100,
    reasoningEffort: "low",
    providerOptions: { custom: { chat_template_kwargs: { thinking: true } } },
  };
  await collectEvents(modelAt(server.url), request);
  assert.deepEqual(JSON.parse(server.bodies[0] ?? ""), {
    model: "llama",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "List." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "a",
            type: "function",
            function: { name: "ListFiles", arguments: '{ "path":"." }' },
          },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "one.txt" },
      { role: "user", content: "<turn-log>\nListFiles\n</turn-log>\n\nThanks." },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "ListFiles",
          description: "Lists.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
    tool_choice: { type: "function", function: { name: "ListFiles" } },
    parallel_tool_calls: false,
    temperature: 0.5,
    max_tokens: 100,
    reasoning_effort: "low",
    chat_template_kwargs: { thinking: true },
    stream: true,
    stream_options: { include_usage: true },
  });
});

// Contract: model-messages-11
test("reports a connection lost during an answer without a retry, and ends no incomplete call", async () => {
  await using server = await startSseServer(({ response }) => {
    sendEvents(response, [
      chunk({ content: "Hel" }),
      callChunk(0, { id: "a", name: "Delete", arguments: "{}" }),
    ]);
    setTimeout(() => response.destroy(), 10);
  });
  const { events, error } = await collectEvents(modelAt(server.url));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["text-delta", "tool-call-start", "tool-call-delta"],
  );
  assert.equal(error?.code, "connection");
  assert.match(error.message, /was lost before the answer was complete/);
  assert.equal(server.bodies.length, 1);
});

test("reports a stream without a finish reason as a lost connection", async () => {
  await using server = await startSseServer(
    streams(chunk({ content: "Hel" }), callChunk(0, { id: "a", name: "Delete", arguments: "{}" })),
  );
  const { events, error } = await collectEvents(modelAt(server.url));
  assert.equal(error?.code, "connection");
  assert.ok(events.every(({ type }) => type !== "tool-call-end" && type !== "finish"));
});

test("reports an invalid response as a server error", async () => {
  await using server = await startSseServer(
    streams(chunk({ content: "Hel" }), '{"choices": [oops'),
  );
  const { events, error } = await collectEvents(modelAt(server.url));
  assert.equal(textOf(events), "Hel");
  assert.equal(error?.code, "server");
});

// Contract: model-messages-15
test("quotes the server's message for an error within the stream", async () => {
  await using server = await startSseServer(
    streams(chunk({ content: "Hel" }), {
      error: { message: "the GPU is on fire", type: "server_error", code: 500 },
    }),
  );
  const { error } = await collectEvents(modelAt(server.url));
  assert.equal(error?.code, "server");
  assert.match(error.message, /the GPU is on fire/);
});

const failures: readonly (readonly [
  title: string,
  answer: (exchange: Exchange) => void,
  code: string,
  message: RegExp,
])[] = [
  [
    "a wrong key",
    fails(401, {
      error: { message: `Incorrect API key provided: ${key}`, code: "invalid_api_key" },
    }),
    "authentication",
    /Check CAPSTAN_MODEL_KEY\. Its message: “Incorrect API key provided: \[key\]”/,
  ],
  [
    "an empty account",
    fails(429, { error: { message: "You exceeded your quota", type: "insufficient_quota" } }),
    "insufficient_quota",
    /no credit left/,
  ],
  [
    "a long wait",
    fails(429, { error: { message: "slow" } }, { "retry-after": "31" }),
    "rate_limit",
    /Try again in 31 s/,
  ],
  [
    "a full context at vLLM",
    fails(400, {
      object: "error",
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000",
      type: "BadRequestError",
      code: 400,
    }),
    "context_length",
    /exceeds the context window of llama/,
  ],
  [
    "a full context at llama.cpp",
    fails(500, {
      error: {
        code: 500,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    }),
    "context_length",
    /Start a new one/,
  ],
  [
    "an unknown model at Ollama",
    fails(404, { error: 'model "llama" not found, try pulling it first' }),
    "model_not_found",
    /no model "llama".*try pulling/,
  ],
  [
    "a wrong address",
    fails(404, "404 page not found"),
    "model_not_found",
    /check CAPSTAN_MODEL_URL.*404 page not found/,
  ],
  [
    "a bad request",
    fails(400, { error: { message: "temperature is too hot" } }),
    "bad_request",
    /temperature is too hot/,
  ],
];

for (const [title, answer, code, message] of failures) {
  test(`${title} is reported with its kind and not retried`, async () => {
    await using server = await startSseServer(answer);
    const { events, error } = await collectEvents(modelAt(server.url));
    assert.deepEqual(events, []);
    assert.equal(error?.code, code);
    assert.match(error.message, message);
    assert.doesNotMatch(
      `${error.message} ${JSON.stringify(error)} ${error.stack}`,
      new RegExp(key),
    );
    assert.equal(server.bodies.length, 1);
  });
}

// Contract: model-messages-21
test("retries after a rate limit when the server says so", async () => {
  await using server = await startSseServer(
    fails(429, { error: { message: "slow" } }, { "retry-after": "7" }),
    hello,
  );
  const clock = instantClock();
  const { events } = await collectEvents(modelAt(server.url, { clock }));
  const [retry] = events;
  assert.ok(retry?.type === "retry" && retry.attempt === 1 && retry.delayMs === 7_000);
  assert.equal(textOf(events), "Hello");
  assert.deepEqual(clock.waits, [7_000]);
});

// Contract: model-messages-21
test("tries a failing server three times with growing delays", async () => {
  await using server = await startSseServer(fails(503, { error: { message: "busy" } }));
  const clock = instantClock();
  const { events, error } = await collectEvents(modelAt(server.url, { clock }));
  assert.deepEqual(
    events.map((event) => event.type === "retry" && event.delayMs),
    [250, 500],
  );
  assert.ok(error?.code === "server" && error.status === 503);
  assert.equal(server.bodies.length, 3);
});

test("names an unreachable URL and the variable to check", async () => {
  const server = await startSseServer(hello);
  await server[Symbol.asyncDispose]();
  const { error } = await collectEvents(modelAt(server.url, { clock: instantClock() }));
  assert.equal(error?.code, "connection");
  assert.match(
    error.message,
    new RegExp(`cannot be reached at ${server.url}/v1 \\(ECONNREFUSED\\).*CAPSTAN_MODEL_URL`),
  );
});

for (const [title, answer] of [
  ["before the answer", () => undefined],
  ["in mid-answer", ({ response }: Exchange) => sendEvents(response, [chunk({ content: "Hel" })])],
] as const) {
  test(`silence ${title} times out`, async () => {
    const clock = new FakeClock();
    await using server = await startSseServer((exchange) => {
      answer(exchange);
      setTimeout(() => clock.advance(60), 20);
    });
    const { error } = await collectEvents(modelAt(server.url, { silenceMs: 60, clock }));
    assert.equal(error?.code, "timeout");
    assert.match(error.message, /sent nothing for 0\.06 s/);
    assert.equal(server.bodies.length, 1);
  });

  test(`an abort ${title} ends the answer and the request at once`, async () => {
    const closed = Promise.withResolvers<void>();
    const controller = new AbortController();
    await using server = await startSseServer((exchange) => {
      exchange.response.on("close", closed.resolve);
      answer(exchange);
      setTimeout(() => controller.abort(), 20);
    });
    const start = performance.now();
    await assert.rejects(collectEvents(modelAt(server.url), {}, controller.signal), {
      name: "AbortError",
    });
    assert.ok(performance.now() - start < 10_000);
    await closed.promise;
  });
}

test("an abort ends the delay before a retry", async () => {
  await using server = await startSseServer(fails(429, {}, { "retry-after": "20" }));
  const controller = new AbortController();
  const stream = modelAt(server.url).stream(
    { messages: [{ role: "user", content: "Hello" }], tools: [] },
    controller.signal,
  );
  await assert.rejects(
    async () => {
      for await (const event of stream)
        if (event.type === "retry") setTimeout(() => controller.abort(), 5);
    },
    { name: "AbortError" },
  );
  assert.equal(server.bodies.length, 1);
});

test("cancels the request if the reader stops early", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await startSseServer(({ response }) => {
    response.on("close", closed.resolve);
    sendEvents(response, [chunk({ content: "Hel" })]);
  });
  const stream = modelAt(server.url).stream(
    { messages: [{ role: "user", content: "Hello" }], tools: [] },
    new AbortController().signal,
  );
  for await (const event of stream) if (event.type === "text-delta") break;
  await closed.promise;
});
