import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "@capstan/core";
import type { EmbeddingRequest, ModelCatalog } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { createApp } from "../app.ts";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const path = "/v1/embeddings";

/** Serves an app whose catalog has this function, or none. */
function serverWith(embed?: NonNullable<ModelCatalog["embed"]>) {
  const { services } = createTestApp({ model: new ScriptedModel([]) });
  const models = { ...services.models, ...(embed && { embed }) };
  return createApp({
    services: { ...services, models },
    apiKeys: [],
    site: { hosts: undefined, origins: [] },
    log: () => {},
  });
}

function appWith(embed?: NonNullable<ModelCatalog["embed"]>) {
  const app = serverWith(embed);
  return async (body: object) => {
    const response = await app.fetch(requestTo("POST", path, body));
    return { response, body: (await response.json()) as { readonly error?: { param: string } } };
  };
}

test("all fields reach the provider, and its answer is returned unchanged", async () => {
  const requests: EmbeddingRequest[] = [];
  const send = appWith(async (request) => {
    requests.push(request);
    return { status: "completed", body: new Blob(['{"object":"list","data":[]}']).stream() };
  });
  const { response, body } = await send({ model: "openai/m", input: ["a"], task: "query" });
  assert.equal(response.status, 200);
  assert.deepEqual(body, { object: "list", data: [] });
  assert.deepEqual(requests, [{ model: "openai/m", fields: { input: ["a"], task: "query" } }]);
});

for (const [what, body, param] of [
  ["no model", { input: "a" }, "model"],
  ["no input", { model: "m" }, "input"],
  ["an empty input", { model: "m", input: "" }, "input"],
  ["no inputs", { model: "m", input: [] }, "input"],
  ["2,049 inputs", { model: "m", input: Array(2_049).fill("a") }, "input"],
  ["an unknown format", { model: "m", input: "a", encoding_format: "hex" }, "encoding_format"],
  ["no dimensions", { model: "m", input: "a", dimensions: 0 }, "dimensions"],
] as const)
  test(`${what} is rejected with the field's name`, async () => {
    const send = appWith(() => assert.fail("the provider was asked"));
    const { response, body: answer } = await send(body);
    assert.equal(response.status, 400);
    assert.equal(answer.error?.param, param);
  });

test("a long answer to a request with a key is not read before its client reads it", async () => {
  let read = 0;
  const app = serverWith(async () => ({
    status: "completed",
    body: (async function* () {
      for (; read < 20; read += 1) yield Buffer.alloc(1_000_000, " ");
      yield Buffer.from("{}");
    })(),
  }));
  const request = requestTo("POST", path, { model: "m", input: "a" });
  request.headers.set("Idempotency-Key", "k");
  const response = await app.fetch(request);
  assert.equal(response.status, 200);
  assert.ok(read < 6, String(read));
  assert.deepEqual(await response.json(), {});
  assert.equal(read, 20);
});

test("an answer that ends early is the provider's error", async () => {
  const send = appWith(async () => ({
    status: "completed",
    body: (async function* () {
      yield Buffer.from("{");
      throw new ModelError({ code: "server", message: "The connection broke." });
    })(),
  }));
  await assert.rejects(send({ model: "m", input: "a" }));
});

test("a provider without embeddings is rejected with its reason", async () => {
  const send = appWith(async () => ({ status: "unsupported", reason: "Anthropic offers none." }));
  const { response, body } = await send({ model: "anthropic/m", input: "a" });
  assert.equal(response.status, 400);
  assert.match(JSON.stringify(body), /Anthropic offers none/);
  const without = await appWith()({ model: "m", input: "a" });
  assert.equal(without.response.status, 400);
});

for (const [code, status] of [
  ["rate_limit", 429],
  ["model_not_found", 404],
  ["timeout", 504],
  ["connection", 502],
] as const)
  test(`the provider's failure ${code} has status ${status}`, async () => {
    const send = appWith(() => Promise.reject(new ModelError({ code, message: "It failed." })));
    const { response } = await send({ model: "m", input: "a" });
    assert.equal(response.status, status);
  });
