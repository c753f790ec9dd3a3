import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import OpenAI from "openai";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

test("models.retrieve returns a model, whose id may contain slashes", async () => {
  const model = new ScriptedModel([], { id: "custom/org/llama" });
  const app = createTestApp({ model });
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    fetch: (url, init) => app.fetch(new Request(String(url), init)),
  });
  const found = await client.models.retrieve("custom/org/llama");
  assert.deepEqual([found.id, found.object], ["custom/org/llama", "model"]);
  const response = await app.fetch(new Request("http://127.0.0.1/v1/models/custom/org/llama"));
  assert.equal(response.status, 200);
});

test("an unknown model is a 404 that names the known ones", async () => {
  const model = new ScriptedModel([], { id: "custom/llama" });
  const { call, services } = createTestApp({ model });
  services.models.find = async () => undefined;
  const { status, body } = await call("GET", "/v1/models/custom/none");
  assert.deepEqual([status, body.error?.code], [404, "model_not_found"]);
  assert.match(body.error?.message ?? "", /There are: custom\/llama/);
});

test("a list of tools whose schemas take long to make lets other requests through", async () => {
  const order: string[] = [];
  const tools = ["One", "Two", "Three"].map((name) => ({
    definition: {
      type: "function" as const,
      function: {
        name,
        get parameters() {
          const end = performance.now() + 25;
          while (performance.now() < end);
          order.push(name);
          setImmediate(() => order.push("other work"));
          return { type: "object" };
        },
      },
    },
    execute: () => "done",
  }));
  const { call } = createTestApp({ model: new ScriptedModel([]), tools });
  // Other work of the start must be done before the request.
  await nextTurn();
  order.length = 0;
  const { status, body } = await call("GET", "/v1/tools");
  assert.equal(status, 200);
  const [group] = body.data as unknown as readonly {
    readonly tools: readonly { name: string }[];
  }[];
  assert.deepEqual(
    group?.tools.map(({ name }) => name),
    ["One", "Two", "Three"],
  );
  // Earlier entries are from registering the tools.
  const listed = order.slice(order.lastIndexOf("One"), order.lastIndexOf("Three"));
  assert.ok(listed.includes("other work"), order.join(", "));
});
