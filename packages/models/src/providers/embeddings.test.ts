import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "@capstan/core";
import { createModelCatalog } from "./model-catalog.ts";

const environment = { OPENAI_API_KEY: "sk-secret", ANTHROPIC_API_KEY: "sk-ant" };

/** A catalog whose providers answer with `answer`, and the requests that they received. */
function catalogWith(answer: () => Response | Promise<Response>, given: object = environment) {
  const requests: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const catalog = createModelCatalog({
    environment: given as { readonly [name: string]: string },
    silenceMs: 50,
    fetch: async (url, init) => {
      requests.push({ url: url instanceof Request ? url.url : String(url), init });
      return answer();
    },
  });
  const embed = async (model: string, fields: { readonly [name: string]: string } = {}) =>
    catalog.embed?.({ model, fields }, new AbortController().signal);
  return { embed, requests };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
}

test("the provider receives all fields and the model's own name, and its answer is unchanged", async () => {
  const { embed, requests } = catalogWith(() => new Response('{"data": []}'));
  const outcome = await embed("openai/text-embedding-3-small", { input: "x", input_type: "query" });
  assert(outcome?.status === "completed");
  assert.equal(await textOf(outcome.body), '{"data": []}');
  const [{ url, init } = { url: "", init: undefined }] = requests;
  assert.equal(url, "https://api.openai.com/v1/embeddings");
  assert.equal(new Headers(init?.headers).get("authorization"), "Bearer sk-secret");
  assert.deepEqual(JSON.parse(String(init?.body)), {
    input: "x",
    input_type: "query",
    model: "text-embedding-3-small",
  });
});

test("Google answers at its address for OpenAI's clients", async () => {
  const { embed, requests } = catalogWith(() => new Response("{}"), {
    GOOGLE_GENERATIVE_AI_API_KEY: "key",
  });
  await embed("google/gemini-embedding-001");
  assert.match(requests[0]?.url ?? "", /\/v1beta\/openai\/embeddings$/);
});

test("a name without a configured provider belongs to the first provider with embeddings", async () => {
  const { embed, requests } = catalogWith(() => new Response("{}"));
  await embed("BAAI/bge-m3");
  assert.equal(requests[0]?.url, "https://api.openai.com/v1/embeddings");
  assert.equal(JSON.parse(String(requests[0]?.init?.body)).model, "BAAI/bge-m3");
});

test("a provider without embeddings is named, with those that have them", async () => {
  const { embed, requests } = catalogWith(() => new Response("{}"));
  assert.deepEqual(await embed("anthropic/claude-sonnet-5"), {
    status: "unsupported",
    reason: "Anthropic offers no embeddings. Name a model of openai/… or ollama/….",
  });
  assert.equal(requests.length, 0);
});

test("a provider that is not configured is named, and no other provider is asked", async () => {
  for (const [model, reason] of [
    ["openai/text-embedding-3-small", /^OpenAI is not configured: set OPENAI_API_KEY\. Name/],
    ["custom/e5", /^The server of CAPSTAN_MODEL_URL is not configured: set CAPSTAN_MODEL_URL\./],
  ] as const) {
    const { embed, requests } = catalogWith(() => new Response("{}"), {
      ANTHROPIC_API_KEY: "sk-ant",
    });
    const outcome = await embed(model);
    assert(outcome?.status === "unsupported");
    assert.match(outcome.reason, reason);
    assert.match(outcome.reason, /Name a model of ollama\/…\.$/);
    assert.equal(requests.length, 0);
  }
});

for (const [status, code] of [
  [401, "authentication"],
  [404, "model_not_found"],
  [429, "rate_limit"],
  [503, "server"],
] as const)
  test(`status ${status} of the provider is the error ${code}, without the key`, async () => {
    const body = JSON.stringify({ error: { message: "The key sk-secret is bad." } });
    const { embed } = catalogWith(() => new Response(body, { status }));
    await assert.rejects(embed("openai/m"), (error) => {
      assert(ModelError.isInstance(error));
      assert.deepEqual([error.code, error.status], [code, status]);
      assert.doesNotMatch(error.message, /sk-secret/);
      return true;
    });
  });

test("a provider that cannot be reached is a connection error", async () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const { embed } = catalogWith(() => Promise.reject(new TypeError("fetch failed", { cause })));
  await assert.rejects(embed("openai/m"), { code: "connection" });
});

test("a provider that does not answer is a timeout", async () => {
  const late = new DOMException("late", "TimeoutError");
  const { embed } = catalogWith(() => Promise.reject(late));
  await assert.rejects(embed("openai/m"), { code: "timeout", message: /did not answer within/ });
});
