import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreferencesView } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const apiKeys = [
  { name: "ann", key: "a".repeat(20) },
  { name: "bob", key: "b".repeat(20) },
];
const none = { groups: {}, tools: {} };

test("preferences are changed by field, belong to their user, and are not listed as an agent", async () => {
  const app = createTestApp({
    model: new ScriptedModel([]),
    apiKeys,
    groups: [{ name: "code", tools: [], needsAdmin: true }],
    groupDefaults: { code: false },
  });
  const as = async (name: string, method: string, path: string, body?: object) => {
    const request = requestTo(method, path, body);
    request.headers.set("authorization", `Bearer ${name.slice(0, 1).repeat(20)}`);
    const response = await app.fetch(request);
    return { status: response.status, body: (await response.json()) as PreferencesView };
  };
  const path = "/v1/preferences";
  const empty = { object: "preferences", switches: none, favorite_models: [], instructions: "" };
  assert.deepEqual((await as("ann", "GET", path)).body, empty);
  const both = await Promise.all([
    as("ann", "PUT", path, { instructions: "Be short." }),
    as("ann", "PUT", path, { instructions: "Be short." }),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  const switches = { groups: { web: false }, tools: { "basic.DateTime": false } };
  await as("ann", "PUT", path, { switches, favorite_models: ["a/b"], instructions: null });
  assert.deepEqual((await as("ann", "GET", path)).body, {
    ...empty,
    switches,
    favorite_models: ["a/b"],
    instructions: "Be short.",
  });
  assert.deepEqual((await as("bob", "GET", path)).body, empty);
  for (const body of [
    { instructions: 5 },
    { instructions: "x".repeat(20_001) },
    { favorite_models: "a" },
    { switches: { groups: { web: "on" }, tools: {} } },
    { switches: { groups: {} } },
    { theme: "dark" },
  ])
    assert.equal(
      (await as("ann", "PUT", path, body)).status,
      400,
      JSON.stringify(body).slice(0, 60),
    );
  const guarded = { switches: { groups: { code: true }, tools: {} } };
  assert.equal((await as("ann", "PUT", path, guarded)).status, 403);
  const list = (await as("ann", "GET", "/v1/agents")).body as unknown as { data: unknown[] };
  assert.deepEqual(list.data, []);
  assert.equal((await as("ann", "GET", "/v1/agents/.preferences")).status, 404);
  assert.equal((await as("ann", "DELETE", "/v1/agents/.preferences")).status, 404);
  const models = JSON.stringify((await as("ann", "GET", "/v1/models")).body);
  assert.doesNotMatch(models, /preferences/);
});
