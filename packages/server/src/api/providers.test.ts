import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderBody, ProviderSettings, ProviderView } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const view: ProviderView = {
  id: "openai",
  object: "provider",
  title: "OpenAI",
  source: "stored",
  variable: "OPENAI_API_KEY",
  url: null,
  model: null,
  has_key: true,
  set_at: 1,
};

function settingsOf(saved: ProviderBody[]): ProviderSettings {
  return {
    list: () => [view],
    async save(id, body) {
      saved.push(body);
      if (id !== "openai") return { status: "not_found" };
      if (body.key === "bad") return { status: "invalid", field: "key", message: "is rejected." };
      return { status: "saved", provider: view };
    },
    remove: (id) =>
      id === "openai" ? { status: "saved", provider: view } : { status: "not_found" },
  };
}

const apiKeys = [
  { name: "ann", key: "a".repeat(20), rights: ["ask", "admin"] },
  { name: "bob", key: "b".repeat(20), rights: ["ask", "approve"] },
] as const;

test("providers need the right admin, and errors name the field", async () => {
  const saved: ProviderBody[] = [];
  const model = new ScriptedModel([]);
  const app = createTestApp({ model, apiKeys, providers: settingsOf(saved) });
  const as = async (name: "ann" | "bob", method: string, path: string, body?: object) => {
    const request = requestTo(method, path, body);
    request.headers.set("authorization", `Bearer ${name.slice(0, 1).repeat(20)}`);
    const response = await app.fetch(request);
    return { status: response.status, text: await response.text() };
  };
  const path = "/v1/providers/openai";
  for (const [method, body] of [
    ["PUT", { key: "x" }],
    ["DELETE", undefined],
  ] as const)
    assert.equal((await as("bob", method, path, body)).status, 403);
  assert.equal((await as("bob", "GET", "/v1/providers")).status, 403);
  assert.deepEqual(saved, []);
  assert.match((await as("ann", "GET", "/v1/providers")).text, /OPENAI_API_KEY/);
  assert.equal((await as("ann", "PUT", path, { key: "good", url: null })).status, 200);
  assert.deepEqual(saved, [{ key: "good" }]);
  const bad = await as("ann", "PUT", path, { key: "bad" });
  assert.equal(bad.status, 400);
  assert.match(bad.text, /"key: is rejected\."/);
  assert.equal((await as("ann", "PUT", path, { key: 5 })).status, 400);
  assert.equal((await as("ann", "PUT", path, { secret: "x" })).status, 400);
  assert.equal((await as("ann", "PUT", "/v1/providers/none", { key: "x" })).status, 404);
  assert.equal((await as("ann", "DELETE", path)).status, 200);
  const info = async (name: "ann" | "bob") =>
    JSON.parse((await as(name, "GET", "/v1/capstan")).text);
  assert.equal((await info("ann")).providers, true);
  assert.equal((await info("bob")).providers, false);
});

test("a server without stored providers says so", async () => {
  const { call } = createTestApp({ model: new ScriptedModel([]) });
  const { status, body } = await call("GET", "/v1/providers");
  assert.deepEqual([status, body.error?.code], [404, "no_providers"]);
});
