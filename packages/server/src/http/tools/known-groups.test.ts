import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../../testing/app-fixtures.ts";
import { tool } from "../../testing/run-fixtures.ts";

function serverOf(group: string) {
  return { type: "mcp", server_label: "other", server_url: `capstan://groups/${group}` };
}

async function send(path: string, tools: readonly unknown[]) {
  const model = new ScriptedModel(["Hello."]);
  const app = createTestApp({ model, tools: [tool("Read", () => "read")] });
  const body = { input: "Hello", messages: [{ role: "user", content: "Hello" }], tools };
  const { input, messages, ...rest } = body;
  const response = await app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...rest, ...(path === "/v1/responses" ? { input } : { messages }) }),
    }),
  );
  return { response, text: await response.text(), model };
}

for (const path of ["/v1/responses", "/v1/chat/completions"]) {
  test(`a request to ${path} that names a missing group gets the others, and a note`, async () => {
    const { response, model, text } = await send(path, [...toyTools, serverOf("gone")]);
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get("capstan-ignored"), "tools.gone");
    assert.deepEqual(
      model.requests[0]?.tools?.map((each) => each.function.name),
      ["Read"],
    );
  });

  test(`a request to ${path} with missing groups only is an error that lists the others`, async () => {
    const { response, text } = await send(path, [serverOf("gone")]);
    assert.equal(response.status, 400);
    assert.match(text, /tool_group_not_found/);
    assert.match(text, /There are: g\./);
  });
}
