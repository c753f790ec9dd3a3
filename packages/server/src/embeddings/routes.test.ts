import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "@capstan/core";
import type { EmbeddingRequest, ModelCatalog } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { createApp } from "../app.ts";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const path = "/v1/embeddings";

/** An app whose catalog has this function, or none. */
function appWith(embed?: NonNullable<ModelCatalog["embed"]>) {
  const { services } = createTestApp({ model: new ScriptedModel([]) });
  const models = { ...services.models, ...(embed && { embed }) };
  const app = createApp({
    services: { ...services, models },
    apiKeys: [],
    site: { hosts: undefined, origins: [] },
    log: () => {},
  });
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
