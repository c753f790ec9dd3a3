import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelRequest, ToolExecutor } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

function serve(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, tools: [tool("Look", () => "grey")] });
  const count = async (body: object) => {
    const response = await app.fetch(requestTo("POST", "/v1/responses/input_tokens", body));
    return (await response.json()) as { object: string; input_tokens: number };
  };
  return { ...app, model, count };
}

/** Counts the texts of a request that a model received. */
function sentTokens({ messages, tools }: ModelRequest): number {
  const texts = messages.flatMap((message) => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    const named = calls.map((each) => `${each.function.name} ${each.function.arguments}`);
    return [message.content as string, ...named];
  });
  const [system = "", ...rest] = texts;
  const definitions = tools.length === 0 ? [] : [JSON.stringify(tools)];
  return new ToolExecutor().gate.countTokens(
    [system, ...definitions, ...rest].filter(Boolean).join("\n"),
  );
}

const weather = {
  type: "function",
  name: "get_weather",
  parameters: { type: "object", properties: { place: { type: "string" } } },
};

// Contract: responses-11
test("the count includes the instructions, tools and merged history that the response then sends", async () => {
  const call = { calls: [{ name: "get_weather", args: { place: "Kiel" }, id: "c1" }] };
  const { count, model, call: post } = serve(["Hello.", call, "Storm.", "Bye."]);
  const shared = { model: "m", instructions: "Be brief.", tools: [weather, ...toyTools] };
  const create = async (body: object) => {
    const { object, input_tokens: counted } = await count({ ...shared, ...body });
    assert.equal(object, "response.input_tokens");
    const { body: made } = await post("POST", "/v1/responses", { ...shared, ...body });
    const sent = model.requests.at(-1);
    assert.ok(sent);
    assert.equal(counted, sentTokens(sent));
    return made.id;
  };
  const first = await create({ input: "Hi there." });
  const second = await create({ input: "The weather?", previous_response_id: first });
  const output = { type: "function_call_output", call_id: "c1", output: "storm, 9 Bft" };
  const third = await create({ input: [output], previous_response_id: second });
  await create({ input: "Thanks.", previous_response_id: third, store: false });
});

// Contract: responses-11
test("a count starts and stores nothing, and rejects the same requests as a response", async () => {
  const { count, model, call } = serve([]);
  await count({ model: "m", input: "Hi" });
  assert.equal(model.requests.length, 0);
  const { body } = await call("GET", "/v1/runs");
  assert.deepEqual(body.data, []);
  const rejected = await call("POST", "/v1/responses/input_tokens", { model: "m" });
  assert.deepEqual([rejected.status, rejected.body.error?.param], [400, "input"]);
});
