import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { oneCallModel } from "./run-models.ts";

const call = { toolId: "weather.Greet", arguments: '{"name":"Bo"}' };

async function calledAs(
  names: { readonly [modelName: string]: string },
  messages: readonly Message[] = [],
): Promise<string> {
  const model = oneCallModel("capstan/call", call, () => names);
  for await (const event of model.stream({ messages, tools: [] }, new AbortController().signal))
    if (event.type === "tool-call-end") return `${event.name} ${event.arguments}`;
  return "no call";
}

test("a direct call uses the name under which the tool is offered", async () => {
  const names = { Greet: "other.Greet", weather_Greet: "weather.Greet" };
  assert.equal(await calledAs(names), 'weather_Greet {"name":"Bo"}');
});

test("a direct call of a disabled or removed tool uses its id, which no other tool has", async () => {
  assert.equal(await calledAs({ Greet: "other.Greet" }), 'weather.Greet {"name":"Bo"}');
});

// Contract: scripts-78
test("a direct call is made once, not again when the run resumes", async () => {
  const result: Message = { role: "tool", tool_call_id: "call_1", name: "Greet", content: "hi" };
  assert.equal(await calledAs({ Greet: "weather.Greet" }, [result]), "no call");
});
