import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest, ToolDefinition } from "@capstan/core";
import { namedFunction } from "./named-function.ts";

const functionOf = (name: string): ToolDefinition => ({
  type: "function",
  function: {
    name,
    parameters: {
      type: "object",
      properties: { location: { type: "string" } },
      required: ["location"],
    },
  },
});
const weather = functionOf("get_weather");

function called(text: string, more: Partial<ModelRequest> = {}): string | undefined {
  return namedFunction({ messages: [], tools: [functionOf("ListVars"), weather], ...more }, text)
    ?.name;
}

test("calls the function whose words are in the text, with an argument for each required parameter", () => {
  const text = "What's the weather like in San Francisco?";
  const call = namedFunction({ messages: [], tools: [weather] }, text);
  assert.equal(call?.name, "get_weather");
  assert.equal(typeof (JSON.parse(call.arguments) as { location?: unknown }).location, "string");
  assert.equal(
    called("Tell me about the WEATHER.", { tools: [functionOf("getWeather")] }),
    "getWeather",
  );
});

test("calls no function that the text does not name, that is not allowed, or of several", () => {
  assert.equal(called("Whether it rains?"), undefined);
  assert.equal(called("List vars"), undefined);
  assert.equal(called("The weather?", { toolChoice: "none" }), undefined);
  const several = [weather, functionOf("fetch_weather")];
  assert.equal(called("The weather?", { tools: several }), undefined);
  assert.equal(called("Echo", { tools: [functionOf("echo")] }), undefined);
});

test("calls the function of the tool choice", () => {
  assert.equal(called("Hello", { toolChoice: "required" }), "get_weather");
  const toolChoice = { type: "function", name: "get_weather" } as const;
  assert.equal(called("Hello", { toolChoice }), "get_weather");
  assert.equal(called("Hello", { toolChoice: { ...toolChoice, name: "ListVars" } }), undefined);
});
