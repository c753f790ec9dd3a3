import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const look = tool("Look", () => "seen");

// Contract: responses-3
test("a forced tool of a server is sent to the model by its name, once", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Look" }] }, "Done."]);
  const { call } = createTestApp({ model, tools: [look] });
  const { body } = await call("POST", "/v1/responses", {
    input: "Go.",
    tools: toyTools,
    tool_choice: { type: "mcp", server_label: "g", name: "Look" },
  });
  assert.equal(body.status, "completed");
  assert.deepEqual(
    model.requests.map(({ toolChoice }) => toolChoice),
    [{ type: "function", name: "Look" }, undefined],
  );
});

// Contract: responses-3
test("a forced server without a tool requires a call of its tools", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Look" }] }, "Done."]);
  const { call } = createTestApp({ model, tools: [look] });
  await call("POST", "/v1/responses", {
    input: "Go.",
    tools: toyTools,
    tool_choice: { type: "mcp", server_label: "g" },
  });
  assert.equal(model.requests[0]?.toolChoice, "required");
});

// Contract: responses-3
test("a forced tool that the server does not offer is rejected by name", async () => {
  const { call } = createTestApp({ model: new ScriptedModel([]), tools: [look] });
  const { status, body } = await call("POST", "/v1/responses", {
    input: "Go.",
    tools: toyTools,
    tool_choice: { type: "mcp", server_label: "g", name: "Leap" },
  });
  assert.deepEqual([status, body.error?.param], [400, "tool_choice"]);
  assert.match(body.error?.message ?? "", /'Leap' not found in the server 'g'. It offers: Look/);
});

// Contract: responses-3
test("with the tool choice none, no tool of the server runs and no client sees a call", async () => {
  const never = tool("Look", () => assert.fail("it ran"));
  const calls = [{ name: "Look" }, { name: "Pay" }];
  const model = new ScriptedModel([{ calls }, "Sorry."]);
  const { call } = createTestApp({ model, tools: [never] });
  const { body } = await call("POST", "/v1/responses", {
    input: "Go.",
    tools: [...toyTools, { type: "function", name: "Pay" }],
    tool_choice: "none",
  });
  assert.equal(body.status, "completed");
  assert.ok(body.output.every(({ type }) => type !== "function_call"));
});
