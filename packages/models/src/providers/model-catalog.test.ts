import assert from "node:assert/strict";
import { test } from "node:test";
import { collectEvents, textOf } from "../testing/collect-events.ts";
import { startSseServer } from "../testing/sse-server.ts";
import { baseUrl, ollamaUrl } from "./base-url.ts";
import { createModelCatalog } from "./model-catalog.ts";

const lists: Record<string, unknown> = {
  "https://api.openai.com/v1/models": {
    data: [
      { id: "gpt-5.5" },
      { id: "gpt-5.4-mini" },
      { id: "text-embedding-3-large" },
      { id: "gpt-realtime" },
      { id: 7 },
      null,
    ],
  },
  "https://api.anthropic.com/v1/models?limit=1000": {
    data: [{ id: "claude-sonnet-5", display_name: "Claude Sonnet 5" }],
  },
  "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000": {
    models: [
      {
        name: "models/gemini-3.8-flash",
        displayName: "Gemini 3.8 Flash",
        supportedGenerationMethods: ["generateContent"],
      },
      { name: "models/text-embedding-004", supportedGenerationMethods: ["embedContent"] },
    ],
  },
  "http://127.0.0.1:11434/v1/models": { data: [{ id: "qwen3:8b" }] },
};

/** Returns a `fetch` that answers only the URLs in `lists`, and the requested URLs. */
function network(only: (url: string) => boolean = () => true) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = input as string;
    asked.push(url);
    if (!only(url) || !(url in lists)) throw new TypeError("fetch failed");
    return Response.json(lists[url]);
  };
  return { fetch, asked };
}

const allKeys = { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b", GOOGLE_GENERATIVE_AI_API_KEY: "c" };

test("chooses the default by the environment, and states the reason", () => {
  const standard = (environment: Record<string, string>, defaultModel?: string) => {
    const entry = createModelCatalog({
      environment,
      ...(defaultModel !== undefined && { defaultModel }),
    }).default;
    return [entry.id, entry.reason];
  };
  assert.deepEqual(
    standard({ ...allKeys, CAPSTAN_MODEL_URL: "http://h/v1", CAPSTAN_MODEL: "llama" }),
    ["custom/llama", "CAPSTAN_MODEL_URL is set"],
  );
  assert.deepEqual(standard({ CAPSTAN_MODEL_URL: "http://h/v1" }), [
    "custom/default",
    "CAPSTAN_MODEL_URL is set",
  ]);
  assert.deepEqual(standard(allKeys), ["openai/gpt-5.5", "OPENAI_API_KEY is set"]);
  assert.deepEqual(standard({ ...allKeys, OPENAI_API_KEY: " " }), [
    "anthropic/claude-sonnet-5",
    "ANTHROPIC_API_KEY is set",
  ]);
  assert.deepEqual(standard({ GOOGLE_GENERATIVE_AI_API_KEY: "c\n" }), [
    "google/gemini-3.8-flash",
    "GOOGLE_GENERATIVE_AI_API_KEY is set",
  ]);
  assert.equal(standard({})[0], "capstan/offline");
  assert.match(standard({})[1] ?? "", /none of .* is set/);
  assert.deepEqual(standard(allKeys, "google/gemini-2.5-pro"), [
    "google/gemini-2.5-pro",
    "set in the configuration",
  ]);
  assert.deepEqual(standard(allKeys, "gpt-5.4"), ["openai/gpt-5.4", "set in the configuration"]);
  assert.equal(
    standard({ CAPSTAN_MODEL_URL: "http://h/v1" }, "openai/gpt-5.5")[0],
    "custom/openai/gpt-5.5",
  );
  assert.equal(standard({}, "ollama/qwen3:8b")[0], "ollama/qwen3:8b");
  assert.equal(standard(allKeys, "capstan/offline")[0], "capstan/offline");
});

test("rejects a default model that no provider can serve, and says which variables to set", () => {
  for (const defaultModel of ["openai/gpt-5.5", "llama"]) {
    assert.throws(() => createModelCatalog({ environment: {}, defaultModel }), {
      code: "invalid_configuration",
      message: /OPENAI_API_KEY/,
    });
  }
  assert.throws(
    () => createModelCatalog({ environment: { CAPSTAN_MODEL_URL: "localhost:8000" } }),
    { message: /CAPSTAN_MODEL_URL is "localhost:8000"/ },
  );
});

test("lists the chat models of the providers and the offline model", async () => {
  const { fetch } = network();
  const catalog = createModelCatalog({ environment: allKeys, fetch });
  const entries = await catalog.list();
  assert.deepEqual(
    entries.map(({ id, title }) => `${id}: ${title}`),
    [
      "openai/gpt-5.5: GPT-5.5 (OpenAI)",
      "openai/gpt-5.4-mini: GPT-5.4-mini (OpenAI)",
      "anthropic/claude-sonnet-5: Claude Sonnet 5 (Anthropic)",
      "google/gemini-3.8-flash: Gemini 3.8 Flash (Google)",
      "ollama/qwen3:8b: qwen3:8b (Ollama)",
      "capstan/offline: Offline model (no AI)",
    ],
  );
  assert.equal(
    entries.find(({ owner }) => owner === "ollama")?.reason,
    "Ollama answers at http://127.0.0.1:11434",
  );
});

test("leaves out providers that do not answer, but never the default model", async () => {
  const { fetch } = network((url) => url.includes("anthropic"));
  const catalog = createModelCatalog({ environment: allKeys, fetch });
  assert.deepEqual(
    (await catalog.list()).map(({ id }) => id),
    ["openai/gpt-5.5", "anthropic/claude-sonnet-5", "capstan/offline"],
  );
});

test("caches lists for a minute", async () => {
  const { fetch, asked } = network();
  let now = 0;
  const catalog = createModelCatalog({
    environment: {},
    fetch,
    clock: { now: () => now, monotonic: () => now, after: () => () => undefined },
  });
  await Promise.all([catalog.list(), catalog.list()]);
  now = 59_000;
  await catalog.list();
  assert.equal(asked.length, 1);
  now = 60_000;
  await catalog.list();
  assert.equal(asked.length, 2);
});

test("a caller can stop waiting for the list", async () => {
  const fetch: typeof globalThis.fetch = () => new Promise(() => undefined);
  const catalog = createModelCatalog({ environment: {}, fetch });
  await assert.rejects(catalog.list(AbortSignal.timeout(10)), { name: "TimeoutError" });
});

test("finds models by provider and name, or by listed name", async () => {
  const { fetch } = network();
  const catalog = createModelCatalog({ environment: { OPENAI_API_KEY: "a" }, fetch });
  const found = async (id: string) => (await catalog.find(id))?.id;
  assert.equal(await found("openai/gpt-unlisted"), "openai/gpt-unlisted");
  assert.equal(await found("gpt-5.4-mini"), "openai/gpt-5.4-mini");
  assert.equal(await found("qwen3:8b"), "ollama/qwen3:8b");
  assert.equal(await found("offline"), "capstan/offline");
  assert.equal(await found("ollama/any"), "ollama/any");
  for (const id of ["anthropic/claude-sonnet-5", "unknown", "openai/", "/", ""])
    assert.equal(await found(id), undefined, id);
});

test("finds a name with a slash at the provider that lists it", async () => {
  const fetch: typeof globalThis.fetch = async () =>
    Response.json({ data: [{ id: "meta-llama/Llama-4" }] });
  const catalog = createModelCatalog({ environment: { CAPSTAN_MODEL_URL: "http://h/v1" }, fetch });
  assert.equal((await catalog.find("meta-llama/Llama-4"))?.id, "custom/meta-llama/Llama-4");
});

test("uses the first listed model if only a URL is configured", async () => {
  await using server = await startSseServer(({ request, body, response }) => {
    if (request.url === "/v1/models")
      return response.end(JSON.stringify({ data: [{ id: "phi" }, { id: "other" }] }));
    const { model } = JSON.parse(body) as { model: string };
    const choice = { index: 0, delta: { content: `I am ${model}` }, finish_reason: "stop" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(
      `data: ${JSON.stringify({ id: "1", model, created: 1, choices: [choice] })}\n\ndata: [DONE]\n\n`,
    );
  });
  const catalog = createModelCatalog({
    environment: { CAPSTAN_MODEL_URL: server.url, OLLAMA_HOST: "127.0.0.1:1" },
  });
  const model = await catalog.find(catalog.default.id);
  assert.ok(model);
  const { events } = await collectEvents(model);
  assert.equal(textOf(events), "I am phi");
});

test("accepts URLs in the usual forms", () => {
  for (const text of [
    "http://h:8000",
    "http://h:8000/",
    "http://h:8000/v1",
    " http://h:8000/v1/ ",
    "http://h:8000/v1/chat/completions",
  ]) {
    assert.equal(baseUrl(text, "X"), "http://h:8000/v1", text);
  }
  assert.equal(
    baseUrl("https://h/openai/v1?api-version=1", "X"),
    "https://h/openai/v1?api-version=1",
  );
  const hosts = {
    "": "http://127.0.0.1:11434",
    "0.0.0.0": "http://127.0.0.1:11434",
    ":12000": "http://127.0.0.1:12000",
    "box:1": "http://box:1",
    "https://box": "https://box:443",
    "http://box:9/": "http://box:9",
    "[::1]:5": "http://[::1]:5",
  };
  for (const [host, url] of Object.entries(hosts)) assert.equal(ollamaUrl(host), url, host);
});

// Contract: loop-9
test("uses the prices of the model, else those of its provider, else none", async () => {
  const own = { input: 1.25, output: 10, cachedInput: 0.125 };
  const rest = { input: 3, output: 15 };
  const prices = { "openai/gpt-5.5": own, "anthropic/*": rest };
  const catalog = createModelCatalog({ environment: allKeys, prices });
  const pricesOf = async (id: string) => (await catalog.find(id))?.prices;
  assert.deepEqual(await pricesOf("openai/gpt-5.5"), own);
  assert.deepEqual(await pricesOf("anthropic/claude-sonnet-5"), rest);
  assert.equal(await pricesOf("openai/gpt-5.4-mini"), undefined);
  assert.equal(await pricesOf("google/__proto__"), undefined);
  assert.deepEqual(await pricesOf("capstan/offline"), { input: 0, output: 0 });
});
